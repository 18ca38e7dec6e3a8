#pragma once

// Rewrites code that another thread runs over and over. Returns in how many of `rounds` that thread went on with old code although it was
// told of the new one and had serialized; -1 when the thread can not be had.
long rewrite_code(long rounds);
