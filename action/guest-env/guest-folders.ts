/** RUNNER_TEMP in the guest; the folders of steps are in it. */
export const guestTempFolder = '/var/tmp/runner-temp';

/** RUNNER_TOOL_CACHE in the guest, at the place it has on hosted runners; tools make it when they need it. */
export const guestToolCacheFolder = '/opt/hostedtoolcache';

/** What a program in the guest has without any PATH given (the agent's default). */
export const guestDefaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
