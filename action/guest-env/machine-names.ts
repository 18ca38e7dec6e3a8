/**
 * Variables of hosted and self-hosted machines, for when the runner's own environment can't be read (actions/runner-images describes the hosted ones).
 */
const prefixes = words(`
  ANDROID_ HOMEBREW_ BOOTSTRAP_HASKELL_ SUDO_ SYSTEMD_ MEMORY_PRESSURE_ STATS_ XDG_ LC_ DBUS_ SSH_ KUBERNETES_ PIPX_ DOTNET_ GOROOT_
  JAVA_HOME_ POWERSHELL_ NPM_ npm_
`);

const names = new Set(
  words(`
    ACCEPT_EULA AGENT_TOOLSDIRECTORY ANT_HOME AZURE_EXTENSION_DIR CHROME_BIN CHROMEWEBDRIVER CONDA DEBIAN_FRONTEND DISPLAY EDGEWEBDRIVER
    ENABLE_RUNNER_TRACING GECKOWEBDRIVER GHCUP_INSTALL_BASE_PREFIX GRADLE_HOME HOSTTYPE ImageOS ImageVersion INVOCATION_ID JAVA_HOME
    JOURNAL_STREAM LANG LANGUAGE LEIN_HOME LEIN_JAR LS_COLORS MACHTYPE NVM_DIR OSTYPE PERFLOG_LOCATION_SETTING PSModulePath SELENIUM_JAR_PATH
    SGX_AESM_ADDR SWIFT_PATH TERM TZ USE_BAZEL_FALLBACK_VERSION VCPKG_INSTALLATION_ROOT WSLENV
  `),
);

export function isWellKnownMachineName(name: string): boolean {
  return names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

const neverNames = new Set(
  words(`
    PATH HOME USER LOGNAME SHELL PWD OLDPWD SHLVL _ TMPDIR TMP TEMP HOSTNAME MAIL INIT_CWD NODE NODE_CHANNEL_FD
    NODE_CHANNEL_SERIALIZATION_MODE NODE_UNIQUE_ID
  `),
);

/**
 * True for what describes this process and its machine whoever set it: meaningless in the guest, or, as LD_*, aimed at this machine's programs. Only the `env`
 * input can pass them.
 */
export function isOfThisProcess(name: string): boolean {
  if (neverNames.has(name)) return true;
  return /^(INPUT_|STATE_|ACTIONS_|OFFSHOOT_|LD_|BASH_FUNC_|npm_(lifecycle_|package_|command$|execpath$|node_execpath$))/.test(
    name,
  );
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
