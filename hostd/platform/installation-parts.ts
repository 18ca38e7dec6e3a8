/** Files that hostd needs besides its own code: absolute paths. A checkout and a bundle have them in different places. */
export interface Installation {
  version: string;
  /** Holds launcher, freeze, kvm-probe.bin and tsc-khz. */
  nativeDirectory: string;
  /** The guest agent's binary. */
  agentPath: string;
  /** Holds NAME.json of each image recipe. */
  recipesDirectory: string;
  /** Run by the bootstrap tool to get the guest's kernel. */
  downloadKernelScript: string;
  /** Debian packages a host needs. */
  packageList: string;
  /** Entry of the thread that computes digests. */
  digestWorker: string;
  /** Entries of the processes that answer names and carry named traffic. */
  resolverProcess: string;
  proxyProcess: string;
  /** What to do when a binary is missing. */
  mendNative: string;
}
