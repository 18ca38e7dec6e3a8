import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);

// hostd/errors/catalogue.ts
var catalogue = {
  "invalid-request": {
    status: 400,
    retryable: false,
    title: "The request is not valid.",
    hint: "Correct the fields named in details.issues."
  },
  "route-not-found": {
    status: 404,
    retryable: false,
    title: "There is no such route.",
    hint: "GET /v1/openapi.json lists what this hostd serves."
  },
  "method-not-allowed": {
    status: 405,
    retryable: false,
    title: "The route does not take this method.",
    hint: "GET /v1/openapi.json lists the methods of each route."
  },
  "payload-too-large": {
    status: 413,
    retryable: false,
    title: "The request body is too large.",
    hint: "Send large content as a file upload or an archive, not inside JSON."
  },
  "unsupported-media-type": {
    status: 415,
    retryable: false,
    title: "The request body is of a type this route does not take.",
    hint: "Send JSON as Content-Type: application/json in UTF-8 without a Content-Encoding."
  },
  "headers-too-large": {
    status: 431,
    retryable: false,
    title: "The request line and headers are too large.",
    hint: "Request line and headers together may have 16 KiB; send large values in the body."
  },
  "request-too-slow": {
    status: 408,
    retryable: true,
    title: "The request did not arrive in time.",
    hint: "Send the headers and the body without long pauses."
  },
  "egress-rules-invalid": {
    status: 400,
    retryable: false,
    title: "An egress rule is not valid.",
    hint: "Correct the rules that are named; each says what to write instead."
  },
  "sandbox-not-found": {
    status: 404,
    retryable: false,
    title: "There is no such sandbox.",
    hint: "offshoot sandbox list --all shows those that are kept, ended ones included."
  },
  "sandbox-gone": {
    status: 410,
    retryable: false,
    title: "The sandbox has ended.",
    hint: "details.end tells why; create a new one."
  },
  "sandbox-not-running": {
    status: 409,
    retryable: true,
    title: "The sandbox is not running.",
    hint: "Resume it when it is paused, wait when it is being created; else create a new one."
  },
  "sandbox-id-taken": {
    status: 409,
    retryable: false,
    title: "A sandbox with this id exists and was asked for with other parameters.",
    hint: "Choose another id, or send the parameters of the first request."
  },
  "idempotency-conflict": {
    status: 409,
    retryable: false,
    title: "The Idempotency-Key was used before with another request.",
    hint: "Use a new key for a new request."
  },
  "fork-failed": {
    status: 500,
    retryable: true,
    title: "Not all copies of the sandbox could be started.",
    hint: "details.failures says why; stop those in details.startedSandboxIds if you do not want them."
  },
  "fork-cancelled": {
    status: 409,
    retryable: false,
    title: "The fork was cancelled by its client.",
    hint: "What it had started was stopped. Fork again."
  },
  "fork-not-found": {
    status: 404,
    retryable: false,
    title: "There is no such fork under way.",
    hint: "A fork can be cancelled until it has answered; stop its copies instead."
  },
  "freeze-failed": {
    status: 500,
    retryable: true,
    title: "The memory of the sandbox could not be duplicated; it goes on as before.",
    hint: "offshoot doctor says how this host duplicates memory. Try again."
  },
  "snapshot-not-found": {
    status: 404,
    retryable: false,
    title: "There is no such snapshot.",
    hint: "offshoot snapshot list shows those there are."
  },
  "snapshot-exists": {
    status: 409,
    retryable: false,
    title: "There is a snapshot of this name.",
    hint: "Choose another name or remove it first: offshoot snapshot rm NAME"
  },
  "snapshot-in-use": {
    status: 409,
    retryable: false,
    title: "Sandboxes stand on this snapshot.",
    hint: "Stop the sandboxes named in details.usedBy first."
  },
  "snapshot-not-restorable": {
    status: 409,
    retryable: false,
    title: "This host can not restore the memory of the snapshot.",
    hint: "Boot its disk instead: create with bootDisk (offshoot run --snapshot NAME --boot-disk)."
  },
  "snapshot-damaged": {
    status: 500,
    retryable: false,
    title: "The files of the snapshot are damaged.",
    hint: "Remove it and take it again. When only its memory is damaged, its disk can be booted: --boot-disk."
  },
  "exec-not-found": {
    status: 404,
    retryable: false,
    title: "There is no such exec.",
    hint: "GET /v1/sandboxes/{id}/execs lists the execs of a sandbox."
  },
  "exec-id-taken": {
    status: 409,
    retryable: false,
    title: "An exec with this id exists and was asked for with other parameters.",
    hint: "Choose another id."
  },
  "exec-ended": {
    status: 409,
    retryable: false,
    title: "The exec has ended.",
    hint: "Its output and result can still be read."
  },
  "exec-input-closed": {
    status: 409,
    retryable: false,
    title: "The exec takes no input.",
    hint: "Start it with stdin, and send nothing after the end of the input."
  },
  "exec-input-offset": {
    status: 409,
    retryable: true,
    title: "The input does not continue where the exec stands.",
    hint: "Send from details.expectedOffset."
  },
  "too-many-execs": {
    status: 429,
    retryable: true,
    title: "The sandbox runs too many execs at once.",
    hint: "Wait for some to end."
  },
  "too-many-streams": {
    status: 429,
    retryable: true,
    title: "Too many transfers or followers are open.",
    hint: "Close some and try again."
  },
  "image-not-found": {
    status: 404,
    retryable: false,
    title: "There is no such image.",
    hint: "offshoot image list shows the images; offshoot image build default makes the standard one."
  },
  "image-in-use": {
    status: 409,
    retryable: false,
    title: "The image is in use.",
    hint: "Stop the sandboxes named in details.sandboxIds first."
  },
  "image-exists": {
    status: 409,
    retryable: false,
    title: "An image of this name exists with another recipe.",
    hint: "Choose another name, or ask for a rebuild."
  },
  "image-build-failed": {
    status: 500,
    retryable: true,
    title: "The image could not be built.",
    hint: "The log above names the failing step; details.log is where it is kept."
  },
  "image-broken": {
    status: 500,
    retryable: false,
    title: "The image on disk is damaged or incomplete.",
    hint: "Build it again: offshoot image build NAME --rebuild."
  },
  "capacity-exhausted": {
    status: 503,
    retryable: true,
    title: "The host has no room for this sandbox now.",
    hint: "Give waitSeconds to wait in the queue, stop other sandboxes, or ask for less."
  },
  "capacity-impossible": {
    status: 400,
    retryable: false,
    title: "The host can never hold a sandbox of this size.",
    hint: "Ask for less; details.limits tells what this host can give."
  },
  "host-disk-full": {
    status: 507,
    retryable: true,
    title: "The disk of the host is full.",
    hint: "Free space in the state directory: offshoot image list and offshoot sandbox list show what takes it."
  },
  "guest-disk-full": {
    status: 507,
    retryable: false,
    title: "The disk of the sandbox is full.",
    hint: "Create the sandbox with a larger diskMiB."
  },
  "guest-file-not-found": {
    status: 404,
    retryable: false,
    title: "There is no such file in the sandbox.",
    hint: "Check the path; relative paths start at /workspace."
  },
  "guest-file-error": {
    status: 422,
    retryable: false,
    title: "The file operation failed in the sandbox.",
    hint: "details.reason tells why."
  },
  "unsafe-archive": {
    status: 422,
    retryable: false,
    title: "The archive names a path outside its target.",
    hint: "Absolute names, .. and links that leave the target are refused; repack the archive."
  },
  "boot-failed": {
    status: 502,
    retryable: true,
    title: "The sandbox did not start.",
    hint: "details.console holds the last lines of its console; offshoot doctor checks the host."
  },
  "guest-unresponsive": {
    status: 504,
    retryable: true,
    title: "The sandbox does not answer.",
    hint: "It may be out of memory or overloaded; stop it and create a larger one."
  },
  "guest-protocol": {
    status: 502,
    retryable: false,
    title: "The agent in the sandbox broke the protocol.",
    hint: "The sandbox is not to be trusted any more; create a new one."
  },
  "kvm-required": {
    status: 503,
    retryable: false,
    title: "This host only runs sandboxes under KVM, and KVM does not work here.",
    hint: "offshoot doctor tells why; start hostd without --require-kvm to accept software emulation."
  },
  "network-setup-failed": {
    status: 500,
    retryable: true,
    title: "The network of the sandbox could not be set up.",
    hint: "offshoot doctor checks what is needed: nft, ip, network namespaces and the tun device."
  },
  "shutting-down": {
    status: 503,
    retryable: true,
    title: "hostd is shutting down.",
    hint: "Try again when it is back."
  },
  internal: {
    status: 500,
    retryable: true,
    title: "Something unexpected happened inside hostd.",
    hint: "Look for this request id in the log of hostd."
  },
  "host-unreachable": {
    status: 0,
    retryable: true,
    title: "hostd can not be reached.",
    hint: "Start it: offshoot hostd. Another address: --host or OFFSHOOT_HOST."
  },
  "protocol-mismatch": {
    status: 0,
    retryable: false,
    title: "hostd answered something this client does not understand.",
    hint: "Use the same version of Offshoot on both sides."
  },
  "request-timeout": {
    status: 0,
    retryable: true,
    title: "hostd did not answer in time.",
    hint: "Raise requestTimeoutMs, or look at the load of the host."
  },
  aborted: {
    status: 0,
    retryable: false,
    title: "The caller gave the operation up.",
    hint: "Nothing to do: the abort signal fired."
  },
  "command-failed": {
    status: 0,
    retryable: false,
    title: "The command failed in the sandbox.",
    hint: "details holds its exit code, signal and output."
  },
  usage: {
    status: 0,
    retryable: false,
    title: "The command line is not valid.",
    hint: "offshoot --help, or offshoot COMMAND --help."
  },
  "egress-auto-failed": {
    status: 0,
    retryable: false,
    title: "The hosts of this machine's package manager could not be found out.",
    hint: "Install and configure it on the machine that makes the call, or name the hosts in place of the auto: rule."
  },
  "action-input": {
    status: 0,
    retryable: false,
    title: "An input of the action is not valid.",
    hint: "action.yml of the action describes each input."
  },
  "unsafe-fork-code": {
    status: 0,
    retryable: false,
    title: "A fork's code would run with this repository's rights.",
    hint: "Use the pull_request event, or set allow-unsafe-fork-code when you are sure that no code of the fork is run."
  },
  "fork-pr-no-identity": {
    status: 0,
    retryable: false,
    title: "A pull request from a fork has no identity to show to this host.",
    hint: "Use host: local, or a runner of your own with the unix socket of its hostd."
  },
  "local-host-failed": {
    status: 0,
    retryable: true,
    title: "The host for this job could not be started on the runner.",
    hint: "The log above names the failing step. It needs Linux on x86-64 with sudo."
  },
  "local-file-error": {
    status: 0,
    retryable: false,
    title: "A file on this machine could not be read or written.",
    hint: "Check the path and its permissions."
  },
  "not-root": {
    status: 0,
    retryable: false,
    title: "hostd needs root: it makes network namespaces and starts processes under other users.",
    hint: "Start it with sudo."
  },
  "tool-missing": {
    status: 0,
    retryable: false,
    title: "A program that hostd needs is not installed.",
    hint: "offshoot doctor names it with the command that installs it."
  },
  "state-locked": {
    status: 0,
    retryable: false,
    title: "Another hostd uses this state directory.",
    hint: "Stop it, or give --state another directory."
  },
  "state-newer": {
    status: 0,
    retryable: false,
    title: "The state directory was written by a newer Offshoot.",
    hint: "Start the newer version, or give --state another directory."
  },
  "socket-taken": {
    status: 0,
    retryable: false,
    title: "The address to listen on is taken.",
    hint: "Give --listen another address, or stop what listens there."
  },
  "config-invalid": {
    status: 0,
    retryable: false,
    title: "The configuration is not valid.",
    hint: "Correct the fields named in details.issues."
  }
};

// hostd/errors/offshoot-error.ts
var brand = /* @__PURE__ */ Symbol.for("offshoot.error");
var OffshootError = class extends Error {
  [brand] = true;
  code;
  hint;
  details;
  constructor(code, options = {}) {
    super(options.message ?? catalogue[code].title, options.cause === void 0 ? void 0 : { cause: options.cause });
    this.name = "OffshootError";
    this.code = code;
    this.hint = options.hint ?? catalogue[code].hint;
    this.details = options.details ?? {};
  }
  get status() {
    return catalogue[this.code].status;
  }
  get retryable() {
    return catalogue[this.code].retryable;
  }
};
function isOffshootError(value) {
  return typeof value === "object" && value !== null && brand in value;
}

export {
  catalogue,
  OffshootError,
  isOffshootError
};
