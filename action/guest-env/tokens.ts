/** Credentials for GitHub by their names: those that runners and GitHub's tools use. */
const tokenName =
  /^(GITHUB_TOKEN|GH_TOKEN|GITHUB_PAT|GH_PAT|GH_ENTERPRISE_TOKEN|GITHUB_ENTERPRISE_TOKEN|GITHUB_.*(TOKEN|SECRET|PASSWORD))$/i;

/** GitHub's tokens by their looks, whatever the variable is called (docs.github.com: token formats). */
const tokenValue = /\b(gh[pousr]_[A-Za-z0-9_.-]{16,}|github_pat_[A-Za-z0-9_]{16,})/;

/** True for what enters the guest only when the `env` input names it. */
export function isGitHubToken(name: string, value: string): boolean {
  return tokenName.test(name) || tokenValue.test(value);
}

/** True for a variable that by its name or looks is a secret, so that the log had better mask it. */
export function looksSecret(name: string, value: string): boolean {
  return (
    isGitHubToken(name, value) ||
    /(TOKEN|SECRET|PASSW(OR)?D|PASSPHRASE|CREDENTIALS?|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY)/i.test(name)
  );
}
