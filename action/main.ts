import { getInput } from '@actions/core';

/** Entry of the action: main and post. */
console.log(getInput('host'));
