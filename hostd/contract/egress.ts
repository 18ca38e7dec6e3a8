/** The networks that `private` after a rule opens: RFC 1918, RFC 6598 (shared address space) and RFC 4193 (unique local addresses). */
export const privateNetworks = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'] as const;
