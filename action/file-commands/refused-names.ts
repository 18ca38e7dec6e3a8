/**
 * Variables a guest may not set for the steps that follow on the runner: they decide which code the runner's own programs load, whose server they trust or
 * talk to, or what they take for their own. No such list is complete - any program may have its own - so steps after a sandbox with code nobody
 * trusts should be in a sandbox too.
 */
const prefixes = [
  ...['GITHUB_', 'RUNNER_'], // no effect on the runner
  ...['ACTIONS_', 'INPUT_', 'STATE_', 'OFFSHOOT_'], // what actions, this one included, believe: tokens' addresses, inputs, saved state
  ...['LD_', 'DYLD_', 'GLIBC_', 'MALLOC_'], // the dynamic linker and the C library
  ...['BASH_', 'NPM_CONFIG_', 'PIP_', 'UV_', 'YARN_', 'BUNDLE_', 'COREPACK_'],
  ...['GIT_CONFIG', 'GIT_SSH', 'GIT_TRACE', 'GIT_SSL'],
  ...['PYTHON', 'PERL', 'RUBY', 'DOTNET_', 'CORECLR_', 'COR_', 'COMPLUS_'],
];

const exact = [
  ...['PATH', 'HOME', 'SHELL', 'USER', 'LOGNAME', 'PWD', 'TMPDIR', 'TMP', 'TEMP'],
  ...[
    'ENV',
    'SHELLOPTS',
    'BASHOPTS',
    'PS4',
    'IFS',
    'CDPATH',
    'GLOBIGNORE',
    'EXECIGNORE',
    'PROMPT_COMMAND',
    'ZDOTDIR',
    'FPATH',
  ],
  ...[
    'GCONV_PATH',
    'GETCONF_DIR',
    'LOCPATH',
    'NLSPATH',
    'HOSTALIASES',
    'RES_OPTIONS',
    'LOCALDOMAIN',
    'TERMINFO',
    'TERMCAP',
  ],
  ...['NODE_OPTIONS', 'NODE_PATH', 'NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'NODE_REPL_EXTERNAL_MODULE'],
  ...['NODE_COMPILE_CACHE', 'NODE_V8_COVERAGE', 'NODE_USE_ENV_PROXY', 'NODE_CHANNEL_FD', 'NODE'],
  ...[
    'JAVA_TOOL_OPTIONS',
    '_JAVA_OPTIONS',
    'JDK_JAVA_OPTIONS',
    'JAVA_OPTS',
    'JAVA_HOME',
    'CLASSPATH',
    'MAVEN_OPTS',
    'MAVEN_ARGS',
  ],
  ...['GRADLE_OPTS', 'GRADLE_USER_HOME', 'SBT_OPTS', 'ANT_OPTS', 'GEM_HOME', 'GEM_PATH', 'PHPRC', 'PHP_INI_SCAN_DIR'],
  ...[
    'GOFLAGS',
    'GOENV',
    'GOROOT',
    'GOPATH',
    'GOPROXY',
    'GOSUMDB',
    'GONOSUMDB',
    'GOINSECURE',
    'GOTOOLCHAIN',
    'CC',
    'CXX',
  ],
  ...[
    'CARGO_HOME',
    'RUSTUP_HOME',
    'RUSTC',
    'RUSTC_WRAPPER',
    'RUSTC_WORKSPACE_WRAPPER',
    'RUSTFLAGS',
    'RUSTDOC',
    'MAKEFLAGS',
    'MAKEFILES',
  ],
  ...[
    'PSMODULEPATH',
    'VIRTUAL_ENV',
    'LUA_PATH',
    'LUA_CPATH',
    'LUA_INIT',
    'R_HOME',
    'R_PROFILE',
    'R_ENVIRON',
    'R_LIBS',
    'GUILE_LOAD_PATH',
  ],
  ...[
    'GIT_DIR',
    'GIT_WORK_TREE',
    'GIT_EXEC_PATH',
    'GIT_TEMPLATE_DIR',
    'GIT_EDITOR',
    'GIT_SEQUENCE_EDITOR',
    'GIT_PAGER',
    'GIT_ASKPASS',
  ],
  ...[
    'GIT_EXTERNAL_DIFF',
    'GIT_PROXY_COMMAND',
    'GIT_INDEX_FILE',
    'GIT_OBJECT_DIRECTORY',
    'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  ],
  ...['GIT_COMMON_DIR', 'GIT_ATTR_SOURCE', 'GIT_ALLOW_PROTOCOL', 'GIT_PROTOCOL_FROM_USER', 'GIT_CEILING_DIRECTORIES'],
  ...[
    'EDITOR',
    'VISUAL',
    'PAGER',
    'MANPAGER',
    'BROWSER',
    'LESSOPEN',
    'LESSCLOSE',
    'LESSKEY',
    'SSH_ASKPASS',
    'SSH_AUTH_SOCK',
    'SUDO_ASKPASS',
  ],
  ...[
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'ALL_PROXY',
    'FTP_PROXY',
    'NO_PROXY',
    'CURL_HOME',
    'CURL_CA_BUNDLE',
    'WGETRC',
    'REQUESTS_CA_BUNDLE',
  ],
  ...[
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'SSLKEYLOGFILE',
    'OPENSSL_CONF',
    'OPENSSL_MODULES',
    'OPENSSL_ENGINES',
    'KRB5_CONFIG',
    'NETRC',
  ],
  ...['XDG_CONFIG_HOME', 'XDG_CONFIG_DIRS', 'XDG_DATA_HOME', 'XDG_DATA_DIRS', 'XDG_RUNTIME_DIR', 'GNUPGHOME'],
  ...[
    'DOCKER_HOST',
    'DOCKER_CONFIG',
    'DOCKER_CONTEXT',
    'DOCKER_CERT_PATH',
    'BUILDKIT_HOST',
    'CONTAINER_HOST',
    'KUBECONFIG',
    'HELM_PLUGINS',
  ],
  ...[
    'AWS_CONFIG_FILE',
    'AWS_SHARED_CREDENTIALS_FILE',
    'AWS_CA_BUNDLE',
    'CLOUDSDK_CONFIG',
    'AZURE_CONFIG_DIR',
    'AZURE_EXTENSION_DIR',
  ],
  ...[
    'GH_HOST',
    'GH_CONFIG_DIR',
    'GH_PATH',
    'GH_TOKEN',
    'GH_ENTERPRISE_TOKEN',
    'TF_CLI_CONFIG_FILE',
    'TF_CLI_ARGS',
    'TF_PLUGIN_CACHE_DIR',
  ],
  'AWS_ENDPOINT_URL',
];

const names = new Set(exact);

/** True for what must not reach the runner's environment. Upper and lower case are one: many programs read both. */
export function isRefusedOnRunner(name: string): boolean {
  const upper = name.toUpperCase();
  return names.has(upper) || prefixes.some((prefix) => upper.startsWith(prefix));
}

/** True for what the runner's own steps could not set either, so that later steps in the sandbox don't see it. */
export function hasNoEffect(name: string): boolean {
  return /^(GITHUB_|RUNNER_)|^NODE_OPTIONS$/i.test(name);
}
