import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  agentProtocolVersion,
  digestOf,
  extraBundle,
  guestBundle,
  missingCertificates,
  parseLenient,
  planBuild,
  readAgentBinary,
  readHostConfig,
  recipeDigestFrom,
  recipeDigestOf,
  renderAptForHost,
  renderDeb822,
  withoutCredentials
} from "./chunk-FRYVKTQY.mjs";
import {
  formatIpv4,
  formatIpv4Network,
  networkContains,
  networkSize,
  networksOverlap,
  parseIpv4,
  parseIpv4Network
} from "./chunk-UIMXNFRT.mjs";
import {
  installation
} from "./chunk-ZKOMBEYM.mjs";
import {
  auditedOtherSet,
  auditedSet,
  cutPaceSet,
  cutSet,
  deniedOtherSet,
  deniedSet,
  lastingSets,
  loadRules,
  openDnsForwarder,
  openedSet,
  passedSet,
  pinSets,
  pinnedHostsSet,
  pinnedSet,
  rulesAnew,
  thenLine,
  transports
} from "./chunk-4VJ64A2N.mjs";
import {
  CommandError,
  runChecked,
  systemRunner
} from "./chunk-CIXUOV6D.mjs";
import {
  OffshootError,
  isOffshootError
} from "./chunk-LTWX3RIA.mjs";
import {
  InTurn,
  addressBits,
  askedName,
  closedRanges,
  embeddedIpv4,
  embeddedIpv4Network,
  embeddingNetworks,
  formatAddress,
  gateFolder,
  healthSchema,
  helperFiles,
  helperRoles,
  isMetadataAddress,
  isOpenedBy,
  maxControlLineBytes,
  networkContains as networkContains2,
  ownRanges,
  parseAddress,
  parseLine,
  parseNetwork,
  pinDocumentSchema,
  policyAckSchema,
  protocolVersion,
  proxiedPorts,
  proxyListenSchema,
  readLines,
  refuseOlder,
  reportPageSchema,
  widenAckSchema,
  writeLine
} from "./chunk-DMNCN2ZG.mjs";
import {
  hostBootId,
  identifyProcess,
  isAlive,
  processIdentitySchema,
  signalProcess
} from "./chunk-LTHL2XHT.mjs";
import {
  egressWords
} from "./chunk-DPK6MB3H.mjs";
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";
import {
  __commonJS,
  __toESM
} from "./chunk-GCJLRCZB.mjs";

// node_modules/tldts/dist/cjs/index.js
var require_cjs = __commonJS({
  "node_modules/tldts/dist/cjs/index.js"(exports) {
    "use strict";
    function shareSameDomainSuffix(hostname, vhost) {
      if (hostname.endsWith(vhost)) {
        return hostname.length === vhost.length || hostname[hostname.length - vhost.length - 1] === ".";
      }
      return false;
    }
    function extractDomainWithSuffix(hostname, publicSuffix) {
      const publicSuffixIndex = hostname.length - publicSuffix.length - 2;
      const lastDotBeforeSuffixIndex = hostname.lastIndexOf(".", publicSuffixIndex);
      if (lastDotBeforeSuffixIndex === -1) {
        return hostname;
      }
      return hostname.slice(lastDotBeforeSuffixIndex + 1);
    }
    function getDomain$1(suffix, hostname, options) {
      if (options.validHosts !== null) {
        const validHosts = options.validHosts;
        for (const vhost of validHosts) {
          if (
            /*@__INLINE__*/
            shareSameDomainSuffix(hostname, vhost)
          ) {
            return vhost;
          }
        }
      }
      let numberOfLeadingDots = 0;
      if (hostname.startsWith(".")) {
        while (numberOfLeadingDots < hostname.length && hostname[numberOfLeadingDots] === ".") {
          numberOfLeadingDots += 1;
        }
      }
      if (suffix.length === hostname.length - numberOfLeadingDots) {
        return null;
      }
      return (
        /*@__INLINE__*/
        extractDomainWithSuffix(hostname, suffix)
      );
    }
    function getDomainWithoutSuffix$1(domain, suffix) {
      return domain.slice(0, -suffix.length - 1);
    }
    var charCodeAt$2 = String.prototype.charCodeAt;
    var CONTROL_CHARS = /[\t\n\r]/g;
    var HAS_CONTROL_CHAR = /[\t\n\r]/;
    var FORBIDDEN_DOMAIN_CHAR = /[\x00-\x20#%/:<>?@[\\\]^|\x7f]/;
    var extractedHostnameValidated = false;
    var extractedBracketedHost = false;
    function isValidHostnameChar(code) {
      return code >= 97 && code <= 122 || // a-z
      code >= 48 && code <= 57 || // 0-9
      code > 127 || // non-ASCII (accepted, not punycode-checked)
      code >= 65 && code <= 90 || // A-Z (becomes valid once lowercased)
      code === 45 || // '-'
      code === 95;
    }
    function noHostname(url, urlIsValidHostname, validate) {
      return HAS_CONTROL_CHAR.test(url) ? extractHostname(url.replace(CONTROL_CHARS, ""), urlIsValidHostname, validate) : null;
    }
    function isSchemeChar(code) {
      return (code | 32) >= 97 && (code | 32) <= 122 || // [a-zA-Z] (fold letters only)
      code >= 48 && code <= 57 || // [0, 9]
      code === 46 || // '.'
      code === 45 || // '-'
      code === 43;
    }
    function decodeHostname(hostname) {
      let decoded;
      try {
        decoded = decodeURIComponent(hostname);
      } catch (_a) {
        return null;
      }
      if (FORBIDDEN_DOMAIN_CHAR.test(decoded)) {
        return null;
      }
      let end = decoded.length;
      while (end > 1 && charCodeAt$2.call(decoded, end - 1) === 46) {
        end -= 1;
      }
      return decoded.slice(0, end).toLowerCase();
    }
    function isScheme(url, start, end) {
      const first = charCodeAt$2.call(url, start) | 32;
      if (start === end || first < 97 || first > 122) {
        return false;
      }
      for (let i = start + 1; i < end; i += 1) {
        if (!isSchemeChar(charCodeAt$2.call(url, i))) {
          return false;
        }
      }
      return true;
    }
    function getSpecialScheme(url, schemeStart, colonIndex) {
      const length = colonIndex - schemeStart;
      const c0 = charCodeAt$2.call(url, schemeStart) | 32;
      if (length === 2) {
        return c0 === 119 && (charCodeAt$2.call(url, schemeStart + 1) | 32) === 115 ? 1 : 0;
      } else if (length === 3) {
        const c1 = charCodeAt$2.call(url, schemeStart + 1) | 32;
        const c2 = charCodeAt$2.call(url, schemeStart + 2) | 32;
        if (c0 === 119 && c1 === 115 && c2 === 115)
          return 1;
        if (c0 === 102 && c1 === 116 && c2 === 112)
          return 1;
        return 0;
      } else if (length === 4) {
        const c1 = charCodeAt$2.call(url, schemeStart + 1) | 32;
        const c2 = charCodeAt$2.call(url, schemeStart + 2) | 32;
        const c3 = charCodeAt$2.call(url, schemeStart + 3) | 32;
        if (c0 === 104 && c1 === 116 && c2 === 116 && c3 === 112)
          return 1;
        if (c0 === 102 && c1 === 105 && c2 === 108 && c3 === 101)
          return 2;
        return 0;
      } else if (length === 5) {
        return c0 === 104 && (charCodeAt$2.call(url, schemeStart + 1) | 32) === 116 && (charCodeAt$2.call(url, schemeStart + 2) | 32) === 116 && (charCodeAt$2.call(url, schemeStart + 3) | 32) === 112 && (charCodeAt$2.call(url, schemeStart + 4) | 32) === 115 ? 1 : 0;
      }
      return 0;
    }
    function extractHostname(url, urlIsValidHostname, validate = false) {
      let start = 0;
      let end = url.length;
      let hasUpper = false;
      let failedValidation = false;
      let isSpecial = true;
      extractedHostnameValidated = false;
      extractedBracketedHost = false;
      if (!urlIsValidHostname) {
        while (start < url.length && charCodeAt$2.call(url, start) <= 32) {
          start += 1;
        }
        if (charCodeAt$2.call(url, start + 4) === 58 && (charCodeAt$2.call(url, start) | 32) === 100 && (charCodeAt$2.call(url, start + 1) | 32) === 97 && (charCodeAt$2.call(url, start + 2) | 32) === 116 && (charCodeAt$2.call(url, start + 3) | 32) === 97 || charCodeAt$2.call(url, start + 10) === 58 && (charCodeAt$2.call(url, start) | 32) === 106 && (charCodeAt$2.call(url, start + 1) | 32) === 97 && (charCodeAt$2.call(url, start + 2) | 32) === 118 && (charCodeAt$2.call(url, start + 3) | 32) === 97 && (charCodeAt$2.call(url, start + 4) | 32) === 115 && (charCodeAt$2.call(url, start + 5) | 32) === 99 && (charCodeAt$2.call(url, start + 6) | 32) === 114 && (charCodeAt$2.call(url, start + 7) | 32) === 105 && (charCodeAt$2.call(url, start + 8) | 32) === 112 && (charCodeAt$2.call(url, start + 9) | 32) === 116) {
          return null;
        }
        while (end > start + 1 && charCodeAt$2.call(url, end - 1) <= 32) {
          end -= 1;
        }
        if ((charCodeAt$2.call(url, start) === 47 || charCodeAt$2.call(url, start) === 92) && (charCodeAt$2.call(url, start + 1) === 47 || charCodeAt$2.call(url, start + 1) === 92)) {
          start += 2;
          while (charCodeAt$2.call(url, start) === 47 || charCodeAt$2.call(url, start) === 92) {
            start += 1;
          }
        } else {
          let indexOfProtocol = charCodeAt$2.call(url, start + 4) === 115 ? start + 5 : start + 4;
          if (charCodeAt$2.call(url, start) !== 104 || charCodeAt$2.call(url, start + 1) !== 116 || charCodeAt$2.call(url, start + 2) !== 116 || charCodeAt$2.call(url, start + 3) !== 112 || charCodeAt$2.call(url, indexOfProtocol) !== 58 || charCodeAt$2.call(url, indexOfProtocol + 1) !== 47) {
            indexOfProtocol = url.indexOf(":/", start);
          }
          if (indexOfProtocol !== -1) {
            const special = getSpecialScheme(url, start, indexOfProtocol);
            if (special === 1) {
              start = indexOfProtocol + 2;
              while (charCodeAt$2.call(url, start) === 47 || charCodeAt$2.call(url, start) === 92) {
                start += 1;
              }
            } else if (special === 2) {
              start = indexOfProtocol + 1;
              let slashes = 0;
              while ((charCodeAt$2.call(url, start) === 47 || charCodeAt$2.call(url, start) === 92) && slashes < 2) {
                start += 1;
                slashes += 1;
              }
              if (slashes < 2) {
                return noHostname(url, urlIsValidHostname, validate);
              }
            } else if (!isScheme(url, start, start + 1)) {
              indexOfProtocol = -1;
            } else {
              for (let i = start; i < indexOfProtocol; i += 1) {
                const code = charCodeAt$2.call(url, i);
                if (!isSchemeChar(code)) {
                  if (code === 9 || code === 10 || code === 13) {
                    return extractHostname(url.replace(CONTROL_CHARS, ""), urlIsValidHostname, validate);
                  }
                  if (code === 58 && getSpecialScheme(url, start, i) !== 1) {
                    for (let j = i; j < indexOfProtocol; j += 1) {
                      const c = charCodeAt$2.call(url, j);
                      if (c === 47 || c === 92 || c === 63 || c === 35) {
                        indexOfProtocol = -1;
                        break;
                      }
                    }
                    if (indexOfProtocol !== -1) {
                      return noHostname(url, urlIsValidHostname, validate);
                    }
                  }
                  indexOfProtocol = -1;
                  break;
                }
              }
              if (indexOfProtocol !== -1) {
                if (charCodeAt$2.call(url, indexOfProtocol + 2) === 47) {
                  isSpecial = false;
                  start = indexOfProtocol + 3;
                } else {
                  return noHostname(url, urlIsValidHostname, validate);
                }
              }
            }
          }
          if (indexOfProtocol === -1 && charCodeAt$2.call(url, start) !== 91) {
            let indexOfColon = -1;
            for (let i = start; i < end; i += 1) {
              const code = charCodeAt$2.call(url, i);
              if (code === 9 || code === 10 || code === 13) {
                return extractHostname(url.replace(CONTROL_CHARS, ""), urlIsValidHostname, validate);
              }
              if (code === 58) {
                indexOfColon = i;
                break;
              }
              if (code === 47 || code === 92 || code === 63 || code === 35) {
                break;
              }
            }
            if (indexOfColon !== -1) {
              const special = getSpecialScheme(url, start, indexOfColon);
              let hasIdentifier = false;
              for (let i = special === 2 ? end : indexOfColon + 1; i < end; i += 1) {
                const code = charCodeAt$2.call(url, i);
                if (code === 47 || code === 92 || code === 63 || code === 35) {
                  break;
                }
                if (code === 64) {
                  hasIdentifier = true;
                  break;
                }
              }
              if (!hasIdentifier) {
                let allDigits = special === 0;
                let i = indexOfColon + 1;
                for (; i < end; i += 1) {
                  const code = charCodeAt$2.call(url, i);
                  if (code === 47 || code === 92 || code === 63 || code === 35) {
                    break;
                  }
                  if (code < 48 || code > 57) {
                    allDigits = false;
                    break;
                  }
                }
                if (i === indexOfColon + 1) {
                  allDigits = false;
                }
                if (!allDigits) {
                  if (special === 0) {
                    let isBareIpv6 = false;
                    for (let j = indexOfColon + 1; j < end; j += 1) {
                      const code = charCodeAt$2.call(url, j);
                      if (code === 47 || code === 92 || code === 63 || code === 35) {
                        break;
                      }
                      if (code === 58) {
                        isBareIpv6 = true;
                        break;
                      }
                    }
                    const next = charCodeAt$2.call(url, i);
                    if (!isBareIpv6 && (isScheme(url, start, indexOfColon) || i < end && next !== 47 && next !== 92 && next !== 63 && next !== 35)) {
                      return noHostname(url, urlIsValidHostname, validate);
                    }
                  } else {
                    start = indexOfColon + 1;
                    if (special === 2) {
                      let slashes = 0;
                      while ((charCodeAt$2.call(url, start) === 47 || charCodeAt$2.call(url, start) === 92) && slashes < 2) {
                        start += 1;
                        slashes += 1;
                      }
                      if (slashes < 2) {
                        return noHostname(url, urlIsValidHostname, validate);
                      }
                    } else {
                      while (charCodeAt$2.call(url, start) === 47 || charCodeAt$2.call(url, start) === 92) {
                        start += 1;
                      }
                    }
                  }
                }
              }
            }
          }
        }
        let indexOfIdentifier = -1;
        let indexOfPort = -1;
        let indexOfFirstColon = -1;
        let hasControl = false;
        let vValid = validate;
        let vLastDot = start - 1;
        let vLastCode = -1;
        if (validate && start < end) {
          const c0 = charCodeAt$2.call(url, start);
          if (
            // Keep these parens: they scope /*@__INLINE__*/ for terser.
            // prettier-ignore
            !/*@__INLINE__*/
            (isValidHostnameChar(c0) || c0 === 46 || c0 === 95) || c0 === 45
          ) {
            vValid = false;
          }
        }
        for (let i = start; i < end; i += 1) {
          const code = charCodeAt$2.call(url, i);
          if (code < 64) {
            if (code === 47 || code === 35 || code === 63) {
              end = i;
              break;
            } else if (code === 58) {
              if (indexOfFirstColon === -1) {
                indexOfFirstColon = i;
              }
              indexOfPort = i;
            } else if (code === 9 || code === 10 || code === 13) {
              hasControl = true;
            } else if (validate) {
              if (code === 46) {
                if (i - vLastDot > 64 || vLastCode === 46 || vLastCode === 45) {
                  vValid = false;
                }
                vLastDot = i;
              } else if (code < 48 || code > 57) {
                if (code !== 45 || vLastCode === 46) {
                  vValid = false;
                }
              }
            }
          } else if (isSpecial && code === 92) {
            end = i;
            break;
          } else if (code === 64) {
            indexOfIdentifier = i;
            indexOfFirstColon = -1;
          } else if (code >= 65 && code <= 90) {
            hasUpper = true;
          } else if (validate && !/*@__INLINE__*/
          isValidHostnameChar(code)) {
            vValid = false;
          }
          if (validate) {
            vLastCode = code;
          }
        }
        if (hasControl) {
          return extractHostname(url.replace(CONTROL_CHARS, ""), urlIsValidHostname, validate);
        }
        if (indexOfIdentifier !== -1 && indexOfIdentifier >= start && indexOfIdentifier < end) {
          start = indexOfIdentifier + 1;
        }
        if (charCodeAt$2.call(url, start) === 91) {
          const closingBracket = url.indexOf("]", start);
          if (closingBracket !== -1 && closingBracket < end && (closingBracket + 1 === end || charCodeAt$2.call(url, closingBracket + 1) === 58)) {
            extractedBracketedHost = true;
            return url.slice(start + 1, closingBracket).toLowerCase();
          }
          return null;
        } else if (indexOfPort !== -1 && indexOfPort > start && indexOfPort < end && // A host:port has exactly one ':' in the host (so its first ':' is its
        // last); a bare, unbracketed IPv6 literal ("2a01:e35::1") has >= 2, so
        // its first ':' precedes the last. Only the former has a ':port' to trim.
        indexOfFirstColon === indexOfPort) {
          end = indexOfPort;
        }
        if (start >= end) {
          return noHostname(url, urlIsValidHostname, validate);
        }
        if (validate && vValid && indexOfIdentifier === -1 && indexOfPort === -1 && charCodeAt$2.call(url, end - 1) !== 46 && end - start <= 255 && // total length
        end - vLastDot - 1 <= 63 && // last label length
        vLastCode !== 45) {
          extractedHostnameValidated = true;
        }
        failedValidation = validate && !vValid;
      }
      while (end > start + 1 && charCodeAt$2.call(url, end - 1) === 46) {
        end -= 1;
      }
      const hostname = start !== 0 || end !== url.length ? url.slice(start, end) : url;
      if (failedValidation && isSpecial && hostname.includes("%")) {
        return decodeHostname(hostname);
      }
      if (hasUpper) {
        return hostname.toLowerCase();
      }
      return hostname;
    }
    var ipMappingFirst = /* @__PURE__ */ new Uint32Array([170, 173, 178, 185, 739, 847, 4447, 6068, 6155, 7468, 7470, 7472, 7491, 7495, 7496, 7580, 7584, 8203, 8288, 8298, 8304, 8308, 8320, 8336, 8337, 8339, 8450, 8492, 8495, 8496, 8517, 8518, 8553, 8557, 8569, 8573, 9312, 9321, 9398, 9421, 9424, 9447, 9450, 12290, 12644, 12881, 12977, 13170, 13252, 13253, 13256, 42994, 42995, 64256, 65024, 65279, 65294, 65296, 65313, 65336, 65345, 65368, 65377, 65440, 113824, 117974, 117997, 118e3, 119155, 119808, 119831, 119834, 119857, 119860, 119883, 119886, 119909, 119912, 119935, 119938, 119961, 119964, 119966, 119987, 119990, 119995, 120013, 120016, 120039, 120042, 120065, 120068, 120071, 120091, 120094, 120117, 120120, 120123, 120143, 120146, 120169, 120172, 120195, 120198, 120221, 120224, 120247, 120250, 120273, 120276, 120299, 120302, 120325, 120328, 120351, 120354, 120377, 120380, 120403, 120406, 120429, 120432, 120455, 120458, 120481, 120782, 120792, 120802, 120812, 120822, 127275, 127277, 127280, 127303, 130032, 917760]);
    var ipMappingLast = /* @__PURE__ */ new Uint32Array([170, 173, 179, 185, 739, 847, 4448, 6069, 6159, 7468, 7470, 7473, 7491, 7495, 7497, 7580, 7584, 8203, 8292, 8303, 8304, 8313, 8329, 8336, 8337, 8339, 8450, 8493, 8495, 8497, 8517, 8519, 8553, 8558, 8569, 8574, 9320, 9331, 9403, 9421, 9429, 9447, 9450, 12290, 12644, 12895, 12991, 13170, 13252, 13253, 13256, 42994, 42995, 64256, 65039, 65279, 65294, 65305, 65318, 65336, 65350, 65368, 65377, 65440, 113827, 117979, 117997, 118009, 119162, 119813, 119831, 119839, 119857, 119865, 119883, 119891, 119909, 119917, 119935, 119943, 119961, 119964, 119967, 119987, 119993, 119995, 120013, 120021, 120039, 120047, 120065, 120069, 120073, 120091, 120099, 120117, 120121, 120125, 120143, 120151, 120169, 120177, 120195, 120203, 120221, 120229, 120247, 120255, 120273, 120281, 120299, 120307, 120325, 120333, 120351, 120359, 120377, 120385, 120403, 120411, 120429, 120437, 120455, 120463, 120481, 120791, 120801, 120811, 120821, 120831, 127275, 127277, 127285, 127303, 130041, 917999]);
    var ipMappingValue = /* @__PURE__ */ new Uint16Array([97, 0, 50, 49, 120, 0, 0, 0, 0, 97, 98, 100, 97, 98, 100, 99, 102, 0, 0, 0, 48, 52, 48, 97, 101, 120, 99, 98, 101, 101, 100, 100, 120, 99, 120, 99, 49, 1010, 97, 120, 97, 120, 48, 46, 0, 1021, 1036, 25697, 25443, 25444, 25698, 99, 102, 26214, 0, 0, 46, 48, 97, 120, 97, 120, 46, 0, 0, 97, 120, 48, 0, 97, 120, 97, 120, 97, 120, 97, 120, 97, 120, 97, 120, 97, 99, 120, 97, 102, 120, 97, 120, 97, 120, 97, 100, 120, 97, 120, 97, 100, 120, 97, 120, 97, 120, 97, 120, 97, 120, 97, 120, 97, 120, 97, 120, 97, 120, 97, 120, 97, 120, 97, 120, 97, 120, 97, 120, 48, 48, 48, 48, 48, 99, 25444, 97, 120, 48, 0]);
    var ipMappingBlocks = /* @__PURE__ */ new Uint32Array([562167821, 983059, 0, 0, 0, 128, 0, 3355443200]);
    function hexValue(code) {
      if (code >= 48 && code <= 57) {
        return code - 48;
      }
      const letter = code | 32;
      return letter >= 97 && letter <= 102 ? letter - 87 : 16;
    }
    function isIpv4(hostname) {
      const end = hostname.length;
      let i = 0;
      for (let numbers2 = 1; numbers2 <= 4; numbers2 += 1) {
        let radix = 10;
        if (i + 1 < end && hostname.charCodeAt(i) === 48) {
          radix = 8;
          if ((hostname.charCodeAt(i + 1) | 32) === 120) {
            radix = 16;
            i += 2;
          }
        }
        const start = i;
        let value = 0;
        for (; i < end; i += 1) {
          const code = hostname.charCodeAt(i);
          if (code === 46) {
            break;
          }
          const digit = hexValue(code);
          if (digit >= radix) {
            return false;
          }
          value = value * radix + digit;
        }
        if (i === start && radix !== 16) {
          return false;
        }
        if (i === end) {
          return value <= 4294967295 >>> 8 * (numbers2 - 1);
        }
        if (value > 255) {
          return false;
        }
        i += 1;
      }
      return false;
    }
    function isDottedDecimal(hostname, i, end) {
      for (let numbers2 = 1; numbers2 <= 4; numbers2 += 1) {
        const start = i;
        let value = 0;
        for (; i < end; i += 1) {
          const digit = hostname.charCodeAt(i) - 48;
          if (digit < 0 || digit > 9) {
            break;
          }
          value = value * 10 + digit;
          if (value > 255 || value < 10 && i !== start) {
            return false;
          }
        }
        if (i === start) {
          return false;
        }
        if (numbers2 < 4) {
          if (hostname.charCodeAt(i) !== 46) {
            return false;
          }
          i += 1;
        }
      }
      return i === end;
    }
    function isIpv6(hostname) {
      let i = 0;
      let end = hostname.length;
      if (hostname.charCodeAt(0) === 91) {
        if (hostname.charCodeAt(end - 1) !== 93) {
          return false;
        }
        i = 1;
        end -= 1;
      }
      if (i < end && hostname.charCodeAt(i) === 58) {
        if (i + 1 === end || hostname.charCodeAt(i + 1) !== 58) {
          return false;
        }
        i += 1;
      }
      let groups = 0;
      let compressed = false;
      while (i < end && groups < 8) {
        if (hostname.charCodeAt(i) === 58) {
          if (compressed) {
            return false;
          }
          compressed = true;
          groups += 1;
          i += 1;
          continue;
        }
        const start = i;
        while (i < end && i - start < 4 && hexValue(hostname.charCodeAt(i)) !== 16) {
          i += 1;
        }
        if (i === start) {
          return false;
        }
        if (i === end) {
          return compressed || groups === 7;
        }
        if (hostname.charCodeAt(i) === 46) {
          return (compressed ? groups <= 6 : groups === 6) && isDottedDecimal(hostname, start, end);
        }
        if (hostname.charCodeAt(i) !== 58 || i + 1 === end) {
          return false;
        }
        groups += 1;
        i += 1;
      }
      return compressed && i === end;
    }
    function mapCodePoint(cp) {
      if (cp < 65536 && (ipMappingBlocks[cp >> 13] >>> (cp >> 8 & 31) & 1) === 0) {
        return "g";
      }
      let low = 0;
      let high = ipMappingFirst.length - 1;
      while (low <= high) {
        const mid = low + high >>> 1;
        if (cp < ipMappingFirst[mid]) {
          high = mid - 1;
        } else if (cp > ipMappingLast[mid]) {
          low = mid + 1;
        } else {
          const value = ipMappingValue[mid];
          const offset = cp - ipMappingFirst[mid];
          if (value === 0) {
            return "";
          }
          if (value < 128) {
            return String.fromCharCode(value + offset);
          }
          if (value < 2e3) {
            return String(value - 1e3 + offset);
          }
          return String.fromCharCode(value >> 8, value & 255);
        }
      }
      return "g";
    }
    function isMappedIp(hostname) {
      for (let i = hostname.length - 1; i >= 0; i -= 1) {
        let cp = hostname.charCodeAt(i);
        if (cp === 46) {
          break;
        }
        if (cp < 128) {
          if (hexValue(cp) === 16 && (cp | 32) !== 120) {
            return false;
          }
          continue;
        }
        if (cp < 55296 && (ipMappingBlocks[cp >> 13] >>> (cp >> 8 & 31) & 1) === 0) {
          return false;
        }
        if (cp >= 56320 && cp <= 57343 && i > 0) {
          const high = hostname.charCodeAt(i - 1);
          if (high >= 55296 && high <= 56319) {
            cp = (high - 55296) * 1024 + (cp - 56320) + 65536;
            i -= 1;
          }
        }
        const mapped = mapCodePoint(cp);
        if (mapped === "g") {
          return false;
        }
        if (mapped === ".") {
          break;
        }
      }
      if (hostname.includes(":")) {
        return false;
      }
      let ascii = "";
      for (let i = 0; i < hostname.length; i += 1) {
        const code = hostname.charCodeAt(i);
        if (code < 128) {
          ascii += hostname.charAt(i);
        } else {
          let cp = code;
          if (code >= 55296 && code <= 56319) {
            const low = hostname.charCodeAt(i + 1);
            if (low >= 56320 && low <= 57343) {
              cp = (code - 55296) * 1024 + (low - 56320) + 65536;
              i += 1;
            }
          }
          ascii += mapCodePoint(cp);
        }
      }
      let end = ascii.length;
      while (end > 1 && ascii.charCodeAt(end - 1) === 46) {
        end -= 1;
      }
      return isIp(ascii.slice(0, end));
    }
    function isNonAsciiIp(hostname) {
      for (let i = 0; i < hostname.length; i += 1) {
        if (hostname.charCodeAt(i) >= 128) {
          return isMappedIp(hostname);
        }
      }
      return null;
    }
    function isIp(hostname) {
      const last = hostname.length - 1;
      let i = last;
      let code = hostname.charCodeAt(i);
      while (code >= 48 && code <= 57) {
        i -= 1;
        code = hostname.charCodeAt(i);
      }
      const decimal2 = i;
      while (hexValue(code) !== 16) {
        i -= 1;
        code = hostname.charCodeAt(i);
      }
      if (code === 58 || code === 93) {
        return isIpv6(hostname);
      }
      if (i === decimal2 && i !== last && (code === 46 || i === -1) || (code | 32) === 120 && hostname.charCodeAt(i - 1) === 48 && (i === 1 || hostname.charCodeAt(i - 2) === 46)) {
        return isIpv4(hostname) || isIpv6(hostname) ? true : isNonAsciiIp(hostname);
      }
      return code >= 128 || (code | 32) === 120 && (hostname.charCodeAt(i - 1) >= 128 || hostname.charCodeAt(i - 2) >= 128) ? isMappedIp(hostname) : false;
    }
    var SPECIAL_USE_DOMAINS = [
      "test",
      // RFC 6761
      "localhost",
      // RFC 6761
      "invalid",
      // RFC 6761
      "example",
      // RFC 6761
      "example.com",
      // RFC 6761
      "example.net",
      // RFC 6761
      "example.org",
      // RFC 6761
      "local",
      // RFC 6762 (mDNS)
      "onion",
      // RFC 7686 (Tor)
      "alt",
      // RFC 9476
      "home.arpa",
      // RFC 8375
      "ipv4only.arpa",
      // RFC 8880
      "resolver.arpa",
      // RFC 9462
      "service.arpa",
      // RFC 9665
      "6tisch.arpa",
      // RFC 9031
      "eap.arpa"
      // RFC 9965
    ];
    function isSpecialUse(hostname) {
      for (const name of SPECIAL_USE_DOMAINS) {
        if (hostname.endsWith(name) && (hostname.length === name.length || hostname.charCodeAt(hostname.length - name.length - 1) === 46)) {
          return true;
        }
      }
      return false;
    }
    var charCodeAt$1 = String.prototype.charCodeAt;
    function isValidAscii(code) {
      return code >= 97 && code <= 122 || code >= 48 && code <= 57 || code > 127;
    }
    function isValidHostname(hostname) {
      if (hostname.length > 255) {
        return false;
      }
      if (hostname.length === 0) {
        return false;
      }
      if (
        /*@__INLINE__*/
        !isValidAscii(charCodeAt$1.call(hostname, 0)) && charCodeAt$1.call(hostname, 0) !== 46 && // '.' (dot)
        charCodeAt$1.call(hostname, 0) !== 95
      ) {
        return false;
      }
      let lastDotIndex = -1;
      let lastCharCode = -1;
      const len = hostname.length;
      for (let i = 0; i < len; i += 1) {
        const code = charCodeAt$1.call(hostname, i);
        if (code === 46) {
          if (
            // Check that previous label is < 63 bytes long (64 = 63 + '.')
            i - lastDotIndex > 64 || // Check that previous character was not already a '.'
            lastCharCode === 46 || // Check that the previous label does not end with '-' (RFC 1035 §2.3.1 LDH).
            // '_' is intentionally NOT restricted: DNS allows any octet (RFC 2181 §11) and
            // WHATWG URL does not treat '_' as a forbidden host code point.
            lastCharCode === 45
          ) {
            return false;
          }
          lastDotIndex = i;
        } else if (
          // A forbidden character in the label...
          // Keep these parens: they scope /*@__INLINE__*/ for terser.
          // prettier-ignore
          !/*@__INLINE__*/
          (isValidAscii(code) || code === 45 || code === 95) || // ...or a '-' starting a label (the byte right after a '.'). A label must
          // not begin with a hyphen (RFC 1034 §3.5 / RFC 1035 §2.3.1 LDH, as amended
          // by RFC 1123 §2.1; cf. UTS #46 CheckHyphens). The first label is covered by
          // the leading-character guard above; mirrors the trailing-'-' rule below.
          code === 45 && lastCharCode === 46
        ) {
          return false;
        }
        lastCharCode = code;
      }
      return (
        // Check that last label is shorter than 63 chars
        len - lastDotIndex - 1 <= 63 && // Check that the last character is an allowed trailing label character.
        // Since we already checked that the char is a valid hostname character,
        // we only need to check that it's different from '-'.
        lastCharCode !== 45
      );
    }
    function extraSuffixLookup(hostname, options, isException, out) {
      const suffix = out.publicSuffix;
      if (suffix === null) {
        return;
      }
      const none = hostname.length + 1;
      let exception = none;
      let exceptionIsIcann = false;
      let rule = none;
      let ruleIsIcann = false;
      const extra = options.extraSuffixes;
      for (let section = 0; section < 2; section += 1) {
        const isIcann = section === 0;
        const rules2 = isIcann ? options.allowIcannDomains && extra.icann : options.allowPrivateDomains && extra.private;
        if (!Array.isArray(rules2)) {
          continue;
        }
        for (const r of rules2) {
          if (typeof r !== "string") {
            continue;
          }
          const exceptionRule = r.startsWith("!");
          const wildcard = r.startsWith("*.");
          const body = exceptionRule ? r.slice(1) : wildcard ? r.slice(2) : r;
          if (body === "" || exceptionRule && !body.includes(".") || !shareSameDomainSuffix(hostname, body)) {
            continue;
          }
          let start = hostname.length - body.length;
          if (exceptionRule) {
            if (start < exception) {
              exception = start;
              exceptionIsIcann = isIcann;
            }
            continue;
          }
          if (wildcard && start > 1 && hostname.charCodeAt(start - 2) !== 46) {
            start = hostname.lastIndexOf(".", start - 2) + 1;
          }
          if (start < rule) {
            rule = start;
            ruleIsIcann = isIcann;
          }
        }
      }
      const suffixStart = hostname.length - suffix.length;
      const builtin = isException ? hostname.lastIndexOf(".", suffixStart - 2) + 1 : suffixStart;
      if (exception <= rule && (isException ? exception < builtin : exception <= builtin)) {
        out.publicSuffix = hostname.slice(hostname.indexOf(".", exception) + 1);
        out.isIcann = exceptionIsIcann;
        out.isPrivate = !exceptionIsIcann;
      } else if (rule < builtin || rule === builtin && !out.isIcann && !out.isPrivate) {
        out.publicSuffix = hostname.slice(rule);
        out.isIcann = ruleIsIcann;
        out.isPrivate = !ruleIsIcann;
      }
    }
    function setDefaultsImpl({ allowIcannDomains = true, allowPrivateDomains = false, detectIp = true, detectSpecialUse = false, extraSuffixes = null, extractHostname: extractHostname2 = true, mixedInputs = true, validHosts = null, validateHostname = true }) {
      return {
        allowIcannDomains,
        allowPrivateDomains,
        detectIp,
        detectSpecialUse,
        extraSuffixes,
        extractHostname: extractHostname2,
        mixedInputs,
        validHosts,
        validateHostname
      };
    }
    var DEFAULT_OPTIONS = (
      /*@__INLINE__*/
      setDefaultsImpl({})
    );
    function setDefaults(options) {
      if (options === void 0 || options === null) {
        return DEFAULT_OPTIONS;
      }
      return (
        /*@__INLINE__*/
        setDefaultsImpl(options)
      );
    }
    function getSubdomain$1(hostname, domain) {
      if (domain.length === hostname.length) {
        return "";
      }
      return hostname.slice(0, -domain.length - 1);
    }
    function getEmptyResult() {
      return {
        domain: null,
        domainWithoutSuffix: null,
        hostname: null,
        isIcann: null,
        isIp: null,
        isPrivate: null,
        isSpecialUse: null,
        publicSuffix: null,
        subdomain: null
      };
    }
    function resetResult(result) {
      result.domain = null;
      result.domainWithoutSuffix = null;
      result.hostname = null;
      result.isIcann = null;
      result.isIp = null;
      result.isPrivate = null;
      result.isSpecialUse = null;
      result.publicSuffix = null;
      result.subdomain = null;
    }
    function parseImpl(url, step2, suffixLookup2, partialOptions, result) {
      const options = (
        /*@__INLINE__*/
        setDefaults(partialOptions)
      );
      if (typeof url !== "string") {
        return result;
      }
      let urlIsValid = false;
      if (!options.extractHostname) {
        let end = url.length;
        while (end > 1 && url.charCodeAt(end - 1) === 46) {
          end -= 1;
        }
        result.hostname = end === url.length ? url : url.slice(0, end);
      } else if (options.mixedInputs) {
        urlIsValid = isValidHostname(url);
        result.hostname = extractHostname(url, urlIsValid, options.validateHostname);
      } else {
        result.hostname = extractHostname(url, false, options.validateHostname);
      }
      if (options.extractHostname && extractedBracketedHost && result.hostname !== null) {
        if (isIp(result.hostname) !== true || !result.hostname.includes(":")) {
          result.hostname = null;
          return result;
        }
        if (options.detectIp) {
          result.isIp = true;
          return result;
        }
      }
      if (options.detectIp && result.hostname !== null) {
        const isIpAddress = isIp(result.hostname);
        result.isIp = isIpAddress === true;
        if (result.isIp) {
          return result;
        }
        if (isIpAddress === null && options.validateHostname && options.extractHostname) {
          result.hostname = null;
          return result;
        }
      }
      if (options.validateHostname && options.extractHostname && result.hostname !== null && // Skip the re-scan when `url` was already validated and extractHostname
      // returned it unchanged (same reference => identical string, still valid).
      !(urlIsValid && result.hostname === url) && // Skip the re-scan when extractHostname already validated the host inline
      // (a confirmed-valid simple authority — see extract-hostname.ts).
      !extractedHostnameValidated && !isValidHostname(result.hostname)) {
        result.hostname = null;
        return result;
      }
      if (step2 === 0 || result.hostname === null) {
        return result;
      }
      if (step2 === 5 && options.detectSpecialUse) {
        result.isSpecialUse = isSpecialUse(result.hostname);
      }
      const isException = suffixLookup2(result.hostname, options, result);
      if (options.extraSuffixes !== null) {
        extraSuffixLookup(result.hostname, options, isException === true, result);
      }
      if (step2 === 2 || result.publicSuffix === null) {
        return result;
      }
      result.domain = getDomain$1(result.publicSuffix, result.hostname, options);
      if (step2 === 3 || result.domain === null) {
        return result;
      }
      result.subdomain = getSubdomain$1(result.hostname, result.domain);
      if (step2 === 4) {
        return result;
      }
      result.domainWithoutSuffix = getDomainWithoutSuffix$1(result.domain, result.publicSuffix);
      return result;
    }
    function fastPathLookup(hostname, options, out) {
      if (!options.allowPrivateDomains && options.allowIcannDomains && hostname.length > 3) {
        const last = hostname.length - 1;
        const c3 = hostname.charCodeAt(last);
        const c2 = hostname.charCodeAt(last - 1);
        const c1 = hostname.charCodeAt(last - 2);
        const c0 = hostname.charCodeAt(last - 3);
        if (c3 === 109 && c2 === 111 && c1 === 99 && c0 === 46) {
          out.isIcann = true;
          out.isPrivate = false;
          out.publicSuffix = "com";
          return true;
        } else if (c3 === 103 && c2 === 114 && c1 === 111 && c0 === 46) {
          out.isIcann = true;
          out.isPrivate = false;
          out.publicSuffix = "org";
          return true;
        } else if (c3 === 117 && c2 === 100 && c1 === 101 && c0 === 46) {
          out.isIcann = true;
          out.isPrivate = false;
          out.publicSuffix = "edu";
          return true;
        } else if (c3 === 118 && c2 === 111 && c1 === 103 && c0 === 46) {
          out.isIcann = true;
          out.isPrivate = false;
          out.publicSuffix = "gov";
          return true;
        } else if (c3 === 116 && c2 === 101 && c1 === 110 && c0 === 46) {
          out.isIcann = true;
          out.isPrivate = false;
          out.publicSuffix = "net";
          return true;
        } else if (c3 === 101 && c2 === 100 && c1 === 46) {
          out.isIcann = true;
          out.isPrivate = false;
          out.publicSuffix = "de";
          return true;
        }
      }
      return false;
    }
    var nodeFlags = /* @__PURE__ */ new Uint8Array([1, 2, 1, 1, 1, 1, 1, 1, 2, 0, 1, 1, 1, 1, 2, 2, 2, 0, 2, 2, 2, 2, 0, 2, 2, 2, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 0, 2, 0, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 2, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 2, 0, 0, 0, 1, 1, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 2, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0, 2, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 2, 2, 0, 0, 0, 2, 0, 1, 1, 0, 2, 0, 2, 2, 2, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 0, 2, 2, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 2, 2, 0, 2, 2, 2, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 2, 2, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 2, 2, 0, 0, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 2, 2, 1, 2, 1, 1, 1, 2, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
    var edgeStart = /* @__PURE__ */ new Uint16Array([0, 0, 0, 10, 11, 18, 106, 111, 117, 118, 119, 128, 134, 141, 150, 151, 152, 153, 154, 155, 157, 158, 160, 161, 162, 164, 166, 242, 255, 257, 258, 259, 274, 276, 283, 284, 287, 288, 289, 292, 294, 313, 314, 316, 325, 330, 347, 348, 351, 352, 354, 356, 392, 393, 395, 398, 399, 403, 405, 409, 412, 444, 447, 460, 461, 469, 470, 472, 482, 496, 497, 498, 499, 508, 509, 546, 551, 567, 587, 593, 635, 637, 638, 639, 640, 667, 694, 695, 843, 849, 852, 853, 854, 859, 864, 873, 895, 896, 897, 898, 899, 900, 901, 921, 923, 924, 927, 929, 930, 932, 934, 949, 966, 971, 972, 974, 975, 976, 977, 978, 980, 983, 988, 989, 990, 992, 993, 996, 999, 1e3, 1001, 1014, 1016, 1028, 1039, 1047, 1049, 1089, 1092, 1096, 1097, 1099, 1102, 1113, 1115, 1125, 1127, 1133, 1135, 1136, 1138, 1141, 1142, 1143, 1196, 1198, 1200, 1220, 1221, 1222, 1223, 1225, 1236, 1267, 1278, 1279, 1292, 1302, 1311, 1319, 1320, 1325, 1339, 1350, 1362, 1374, 1388, 1389, 1400, 1434, 1435, 1436, 1452, 1468, 1480, 1553, 1554, 1556, 1557, 1593, 1612, 1613, 1614, 1615, 1617, 1618, 1619, 1622, 1626, 1629, 1631, 1665, 1666, 1674, 1675, 1676, 1677, 1678, 1680, 1682, 1684, 1685, 1689, 1690, 1691, 1693, 1695, 1696, 1698, 1699, 1700, 1711, 1713, 1714, 1718, 1719, 1722, 1729, 1730, 1735, 1739, 1740, 1742, 1743, 1744, 1745, 1746, 1747, 1748, 1749, 1750, 1751, 1752, 1753, 1754, 1755, 1757, 1758, 1759, 1760, 2228, 2231, 2232, 2234, 2241, 2248, 2258, 2262, 2273, 2274, 2275, 2287, 2288, 2290, 2292, 2293, 2300, 2301, 2303, 2304, 2306, 2307, 2308, 2309, 2310, 2385, 2387, 2408, 2409, 2410, 2412, 2413, 2415, 2416, 2471, 2472, 2473, 2480, 2486, 2496, 2506, 2559, 2560, 2561, 2571, 2585, 2586, 2589, 2596, 2597, 2605, 2607, 2608, 2609, 2610, 2621, 2622, 2623, 2625, 2626, 2628, 2629, 2638, 2650, 2656, 2658, 2690, 2694, 2696, 2697, 2699, 2700, 2712, 2713, 2715, 2723, 2730, 2736, 2741, 2742, 2748, 2751, 2757, 2764, 2771, 2779, 2780, 2781, 2819, 2825, 2829, 2845, 2846, 2851, 2869, 2900, 2918, 2920, 2923, 2931, 2933, 2940, 2992, 3016, 3017, 3018, 3019, 3020, 3021, 3022, 3029, 3030, 3031, 3032, 3033, 3034, 3036, 3037, 3041, 3125, 3138, 3139, 3576, 3580, 3594, 3646, 3674, 3696, 3754, 3776, 3791, 3854, 3905, 3943, 3979, 4004, 4146, 4192, 4243, 4262, 4296, 4311, 4331, 4361, 4392, 4415, 4446, 4476, 4508, 4535, 4610, 4632, 4670, 4680, 4714, 4733, 4759, 4801, 4851, 4877, 4946, 4947, 4949, 4972, 4995, 5031, 5062, 5079, 5136, 5149, 5173, 5202, 5204, 5238, 5254, 5282, 5587, 5596, 5606, 5613, 5630, 5634, 5640, 5641, 5680, 5682, 5689, 5696, 5705, 5712, 5713, 5714, 5727, 5730, 5745, 5746, 5755, 5756, 5765, 5774, 5780, 5782, 5783, 5784, 5822, 5823, 5825, 5833, 5840, 5853, 5857, 5859, 5860, 5866, 5873, 5887, 5897, 5902, 5910, 5918, 5924, 5925, 5929, 5931, 5932, 5944, 6016, 6017, 6018, 6019, 6021, 6022, 6025, 6027, 6030, 6034, 6035, 6036, 6042, 6043, 6044, 6046, 6048, 6050, 6051, 6052, 6055, 6057, 6060, 6061, 6063, 6261, 6268, 6269, 6270, 6280, 6285, 6302, 6316, 6325, 6326, 6327, 6331, 6332, 6334, 6336, 6342, 6343, 6346, 6347, 6349, 6350, 6351, 7251, 7254, 7258, 7276, 7285, 7288, 7294, 7295, 7297, 7298, 7299, 7301, 7353, 7354, 7357, 7358, 7477, 7478, 7489, 7508, 7515, 7518, 7527, 7528, 7529, 7544, 7599, 7791, 7793, 7795, 7796, 7798, 7803, 7816, 7817, 7833, 7840, 7849, 7852, 7855, 7862, 7870, 7874, 7875, 7876, 7890, 7895, 7904, 7905, 7906, 7910, 7945, 7946, 7967, 7974, 7982, 7983, 7988, 7996, 8040, 8041, 8047, 8050, 8063, 8068, 8069, 8071, 8073, 8114, 8115, 8121, 8128, 8129, 8139, 8148, 8163, 8167, 8169, 8221, 8222, 8227, 8228, 8231, 8233, 8234, 8235, 8244, 8258, 8266, 8280, 8291, 8292, 8294, 8296, 8318, 8329, 8335, 8336, 8348, 8360, 8447, 8459, 8466, 8469, 8475, 8500, 8503, 8504, 8505, 8506, 8508, 8511, 8514, 8525, 8527, 8529, 8557, 8631, 8638, 8642, 8643, 8652, 8674, 8675, 8680, 8681, 8763, 8765, 8766, 8775, 8779, 8785, 8791, 8797, 8807, 8812, 8813, 8831, 8842, 8847, 8852, 8862, 8868, 8872, 8878, 8884, 10490, 10491, 10492, 10499, 10501]);
    var edgeLength = /* @__PURE__ */ new Uint8Array([3, 3, 3, 3, 3, 3, 3, 3, 5, 8, 8, 2, 2, 3, 3, 3, 3, 3, 8, 5, 5, 5, 5, 5, 3, 3, 5, 5, 9, 12, 19, 8, 19, 8, 11, 9, 9, 8, 7, 7, 6, 8, 9, 16, 10, 7, 7, 11, 8, 6, 6, 9, 7, 11, 7, 14, 4, 4, 4, 4, 4, 4, 10, 7, 6, 6, 6, 6, 10, 10, 6, 10, 10, 22, 11, 9, 10, 10, 10, 9, 10, 8, 7, 7, 7, 8, 21, 13, 11, 11, 9, 10, 9, 13, 10, 8, 8, 9, 12, 9, 7, 10, 7, 7, 13, 7, 3, 3, 3, 3, 3, 2, 3, 3, 3, 3, 3, 1, 4, 3, 3, 3, 3, 3, 8, 7, 4, 6, 3, 3, 3, 3, 3, 3, 2, 5, 3, 3, 3, 3, 7, 2, 2, 2, 2, 2, 2, 3, 3, 3, 1, 7, 8, 5, 2, 2, 7, 4, 5, 7, 2, 2, 1, 4, 1, 11, 9, 9, 5, 5, 8, 5, 5, 5, 5, 5, 5, 5, 3, 3, 3, 3, 3, 5, 5, 11, 9, 9, 8, 9, 9, 13, 7, 14, 7, 6, 6, 6, 7, 6, 6, 6, 6, 6, 6, 10, 7, 11, 9, 4, 4, 4, 4, 4, 6, 6, 6, 6, 13, 6, 8, 7, 10, 10, 9, 9, 7, 9, 8, 8, 9, 8, 7, 10, 6, 9, 8, 10, 9, 10, 7, 8, 1, 9, 10, 12, 12, 12, 10, 9, 9, 10, 10, 9, 9, 1, 1, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 6, 6, 6, 4, 2, 3, 3, 3, 3, 7, 4, 4, 4, 3, 3, 6, 7, 3, 4, 1, 2, 2, 2, 6, 1, 2, 2, 2, 2, 2, 12, 5, 3, 8, 9, 13, 4, 4, 13, 9, 9, 11, 7, 3, 12, 9, 2, 2, 2, 3, 3, 3, 3, 3, 8, 2, 2, 3, 3, 3, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 3, 7, 10, 15, 15, 7, 15, 20, 15, 9, 10, 10, 12, 14, 14, 14, 12, 12, 12, 12, 12, 14, 14, 10, 10, 10, 10, 14, 9, 9, 9, 9, 10, 14, 14, 14, 13, 13, 14, 9, 9, 9, 9, 9, 9, 7, 8, 6, 8, 8, 6, 8, 13, 8, 8, 6, 13, 8, 11, 13, 8, 6, 13, 8, 6, 9, 10, 10, 12, 14, 14, 14, 12, 12, 12, 12, 14, 14, 10, 10, 10, 10, 9, 9, 9, 10, 14, 14, 11, 13, 13, 9, 9, 9, 9, 9, 9, 2, 6, 9, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 2, 3, 3, 3, 3, 3, 3, 7, 7, 2, 3, 2, 2, 5, 3, 3, 3, 3, 3, 3, 4, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 5, 7, 4, 2, 2, 12, 8, 10, 8, 10, 7, 18, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 2, 2, 3, 3, 3, 5, 5, 3, 8, 8, 6, 8, 6, 6, 4, 6, 7, 7, 7, 10, 11, 2, 5, 5, 3, 3, 3, 3, 3, 3, 5, 5, 6, 11, 10, 7, 7, 7, 4, 4, 4, 2, 3, 3, 3, 3, 3, 2, 2, 7, 5, 5, 3, 3, 3, 3, 3, 3, 3, 3, 7, 7, 7, 11, 7, 6, 9, 6, 6, 8, 10, 8, 6, 8, 13, 4, 4, 4, 4, 4, 10, 8, 11, 8, 8, 8, 10, 10, 7, 5, 4, 4, 4, 10, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2, 2, 2, 2, 5, 5, 5, 5, 5, 5, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7, 10, 13, 7, 8, 7, 11, 8, 8, 6, 9, 8, 8, 6, 6, 6, 8, 8, 6, 6, 6, 6, 6, 9, 7, 6, 4, 4, 4, 4, 4, 4, 4, 6, 6, 6, 9, 7, 8, 10, 8, 8, 2, 3, 3, 3, 3, 3, 2, 8, 9, 9, 2, 2, 2, 3, 3, 3, 2, 3, 3, 3, 9, 2, 2, 3, 3, 3, 3, 3, 3, 5, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 12, 5, 5, 3, 5, 4, 2, 3, 2, 4, 3, 9, 2, 2, 2, 2, 2, 5, 5, 3, 3, 3, 8, 8, 13, 6, 10, 9, 4, 7, 9, 11, 2, 3, 7, 3, 3, 4, 1, 3, 4, 2, 9, 3, 3, 12, 5, 3, 7, 10, 10, 7, 4, 4, 6, 14, 7, 9, 7, 13, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 8, 15, 4, 4, 2, 3, 3, 3, 7, 4, 9, 9, 2, 3, 3, 3, 5, 3, 2, 2, 7, 2, 7, 6, 6, 7, 2, 4, 2, 2, 2, 2, 2, 2, 8, 8, 8, 9, 5, 2, 3, 3, 3, 3, 3, 3, 10, 7, 4, 4, 4, 4, 3, 4, 2, 3, 3, 3, 3, 3, 10, 7, 4, 4, 4, 4, 2, 3, 3, 3, 3, 10, 7, 4, 4, 4, 4, 3, 9, 6, 6, 6, 9, 13, 9, 2, 2, 2, 8, 7, 9, 5, 3, 3, 3, 5, 5, 13, 12, 9, 10, 7, 8, 7, 8, 6, 11, 12, 7, 10, 4, 4, 4, 7, 8, 11, 6, 7, 9, 8, 7, 10, 8, 9, 15, 7, 8, 5, 4, 7, 2, 3, 3, 3, 2, 14, 10, 2, 14, 10, 2, 14, 3, 9, 13, 13, 10, 14, 16, 17, 11, 2, 14, 2, 14, 3, 9, 13, 10, 14, 16, 17, 11, 14, 10, 14, 2, 7, 3, 10, 7, 14, 10, 2, 14, 10, 9, 9, 17, 6, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 10, 10, 10, 12, 9, 4, 10, 10, 11, 8, 8, 8, 7, 9, 5, 3, 3, 3, 3, 3, 3, 3, 3, 5, 8, 4, 4, 4, 4, 4, 4, 6, 16, 3, 3, 14, 3, 14, 2, 14, 9, 13, 10, 10, 14, 16, 17, 11, 6, 9, 10, 10, 12, 14, 14, 14, 12, 12, 12, 12, 14, 14, 10, 10, 10, 10, 14, 9, 9, 9, 10, 14, 14, 14, 9, 9, 9, 9, 9, 9, 2, 14, 9, 13, 10, 10, 14, 16, 17, 11, 6, 14, 2, 14, 9, 17, 13, 10, 10, 14, 17, 16, 17, 11, 6, 2, 14, 9, 13, 10, 14, 17, 16, 17, 11, 2, 14, 9, 13, 10, 14, 16, 17, 11, 2, 14, 9, 13, 10, 17, 16, 11, 17, 2, 14, 10, 19, 7, 2, 14, 9, 13, 10, 19, 10, 7, 14, 17, 16, 17, 11, 6, 2, 14, 9, 13, 10, 19, 7, 14, 16, 17, 11, 2, 14, 9, 13, 10, 10, 14, 17, 16, 17, 11, 6, 2, 14, 9, 13, 10, 10, 14, 17, 16, 17, 11, 6, 2, 14, 9, 13, 17, 13, 10, 10, 14, 17, 16, 17, 11, 6, 3, 2, 14, 9, 13, 10, 10, 14, 16, 17, 11, 6, 9, 10, 12, 14, 14, 14, 12, 12, 12, 12, 12, 14, 14, 14, 10, 10, 10, 14, 9, 9, 9, 9, 14, 14, 14, 13, 13, 14, 9, 9, 9, 9, 9, 9, 4, 11, 2, 14, 9, 13, 17, 13, 10, 19, 10, 7, 14, 17, 16, 17, 11, 6, 2, 14, 9, 13, 17, 13, 10, 19, 10, 7, 14, 17, 16, 17, 11, 6, 2, 14, 9, 13, 10, 19, 7, 14, 17, 16, 17, 11, 2, 9, 10, 10, 7, 17, 3, 3, 12, 12, 16, 15, 15, 12, 14, 14, 14, 20, 20, 13, 12, 12, 12, 12, 12, 12, 20, 25, 14, 14, 12, 12, 10, 10, 10, 10, 14, 9, 9, 9, 25, 4, 9, 17, 10, 7, 14, 16, 21, 13, 13, 14, 20, 14, 13, 17, 24, 9, 12, 13, 25, 13, 21, 20, 17, 9, 9, 9, 9, 9, 9, 12, 17, 4, 4, 9, 9, 9, 10, 10, 12, 14, 14, 14, 12, 12, 12, 12, 12, 14, 14, 10, 10, 10, 10, 14, 9, 9, 9, 9, 10, 14, 14, 14, 13, 13, 14, 9, 9, 9, 9, 9, 9, 9, 10, 14, 12, 12, 14, 14, 10, 9, 9, 9, 10, 14, 14, 14, 9, 9, 9, 9, 2, 1, 5, 1, 6, 5, 8, 7, 11, 11, 1, 3, 3, 3, 5, 3, 3, 4, 8, 9, 10, 10, 12, 14, 14, 14, 12, 12, 12, 12, 14, 14, 10, 10, 10, 10, 14, 9, 9, 9, 10, 14, 14, 14, 13, 13, 14, 9, 9, 9, 9, 9, 9, 7, 4, 4, 4, 4, 4, 4, 4, 4, 10, 2, 2, 6, 7, 6, 2, 3, 2, 3, 6, 2, 7, 6, 10, 7, 4, 9, 12, 6, 14, 4, 12, 7, 2, 2, 1, 2, 7, 6, 4, 4, 4, 6, 8, 8, 7, 2, 2, 13, 2, 2, 2, 2, 6, 2, 8, 12, 2, 7, 7, 6, 8, 10, 12, 2, 2, 2, 3, 3, 13, 2, 2, 3, 3, 6, 7, 6, 4, 5, 6, 3, 3, 3, 3, 4, 16, 8, 5, 4, 3, 3, 3, 5, 7, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 11, 12, 7, 7, 13, 9, 10, 17, 12, 8, 9, 7, 17, 17, 8, 5, 12, 10, 13, 14, 5, 5, 5, 13, 5, 5, 5, 3, 3, 3, 5, 16, 5, 5, 5, 5, 7, 12, 14, 8, 12, 8, 10, 12, 9, 11, 7, 9, 7, 10, 7, 13, 13, 9, 7, 12, 8, 17, 7, 7, 16, 10, 13, 13, 8, 10, 10, 14, 17, 7, 16, 16, 15, 8, 10, 10, 12, 17, 17, 7, 17, 14, 7, 10, 17, 8, 7, 7, 7, 8, 15, 15, 7, 14, 10, 10, 10, 11, 11, 7, 7, 13, 8, 10, 7, 16, 7, 8, 7, 14, 17, 12, 10, 11, 21, 8, 9, 7, 13, 9, 8, 6, 13, 6, 12, 7, 6, 13, 10, 10, 10, 8, 18, 9, 17, 13, 10, 12, 6, 13, 6, 11, 8, 13, 10, 13, 18, 10, 13, 11, 13, 8, 16, 7, 10, 8, 16, 12, 10, 8, 8, 14, 11, 8, 15, 8, 8, 7, 7, 12, 7, 8, 9, 14, 15, 8, 9, 10, 9, 15, 7, 8, 8, 12, 13, 12, 9, 10, 15, 13, 7, 10, 10, 20, 7, 6, 9, 6, 6, 14, 11, 14, 11, 12, 9, 10, 16, 16, 12, 7, 11, 28, 8, 11, 10, 7, 21, 8, 7, 9, 4, 4, 4, 17, 7, 8, 6, 9, 6, 6, 13, 6, 6, 6, 6, 18, 20, 14, 8, 11, 12, 9, 10, 13, 15, 15, 19, 8, 9, 12, 7, 10, 16, 12, 9, 9, 9, 14, 12, 11, 10, 9, 12, 11, 18, 9, 9, 9, 10, 7, 7, 16, 8, 9, 7, 13, 12, 10, 14, 18, 7, 8, 11, 10, 7, 7, 8, 8, 13, 7, 7, 7, 11, 15, 13, 11, 7, 8, 15, 11, 7, 8, 18, 8, 14, 13, 18, 15, 10, 12, 12, 9, 7, 11, 11, 8, 7, 10, 8, 14, 12, 10, 18, 7, 10, 9, 7, 8, 13, 10, 14, 10, 8, 8, 23, 7, 7, 11, 12, 12, 17, 7, 7, 11, 11, 17, 16, 16, 25, 7, 8, 11, 14, 14, 8, 10, 7, 15, 7, 16, 16, 13, 9, 11, 9, 15, 15, 11, 11, 7, 7, 14, 7, 9, 7, 7, 16, 10, 13, 10, 11, 14, 7, 11, 10, 11, 7, 11, 10, 11, 15, 10, 11, 15, 10, 12, 10, 14, 13, 11, 11, 12, 13, 10, 7, 13, 16, 12, 21, 15, 9, 10, 10, 7, 11, 14, 17, 7, 7, 8, 11, 13, 12, 8, 15, 14, 14, 8, 17, 12, 10, 10, 7, 9, 19, 11, 7, 10, 7, 11, 18, 7, 11, 7, 12, 11, 8, 8, 14, 12, 7, 8, 15, 3, 7, 7, 5, 2, 9, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 2, 5, 3, 3, 3, 3, 3, 3, 4, 4, 3, 3, 3, 3, 3, 3, 5, 11, 6, 4, 7, 10, 7, 7, 11, 1, 10, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 5, 7, 3, 5, 6, 3, 3, 5, 2, 2, 5, 3, 4, 13, 11, 3, 3, 6, 3, 5, 14, 2, 2, 3, 8, 2, 2, 12, 5, 18, 5, 3, 3, 3, 3, 16, 5, 5, 5, 10, 7, 13, 12, 13, 9, 12, 14, 19, 9, 9, 21, 9, 9, 10, 6, 9, 6, 15, 10, 6, 12, 8, 6, 10, 15, 4, 4, 6, 6, 9, 9, 12, 16, 14, 23, 7, 7, 7, 14, 9, 7, 7, 11, 14, 10, 7, 10, 10, 10, 12, 6, 11, 10, 13, 11, 15, 11, 7, 12, 10, 3, 7, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 4, 3, 7, 5, 1, 5, 2, 2, 2, 5, 5, 5, 5, 5, 5, 3, 3, 3, 3, 3, 5, 5, 10, 9, 11, 8, 7, 12, 8, 9, 7, 6, 13, 11, 6, 13, 7, 9, 9, 4, 4, 4, 4, 4, 6, 10, 7, 8, 13, 11, 8, 8, 9, 14, 7, 14, 10, 7, 9, 7, 7, 9, 6, 9, 2, 12, 5, 3, 3, 13, 4, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 5, 5, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 8, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 9, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 2, 2, 2, 5, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 1, 7, 6, 4, 12, 3, 3, 3, 3, 3, 8, 7, 3, 3, 3, 3, 3, 3, 4, 4, 11, 15, 14, 2, 8, 3, 5, 5, 8, 10, 8, 6, 4, 7, 17, 7, 4, 5, 2, 6, 3, 5, 4, 2, 2, 12, 5, 5, 3, 15, 13, 8, 11, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 5, 3, 3, 3, 3, 4, 2, 3, 18, 2, 12, 5, 3, 3, 3, 3, 3, 5, 16, 8, 8, 9, 6, 6, 4, 4, 4, 4, 31, 6, 6, 10, 11, 21, 10, 9, 7, 10, 7, 7, 2, 4, 4, 4, 4, 6, 5, 3, 3, 4, 3, 3, 3, 3, 3, 3, 3, 3, 3, 6, 6, 4, 6, 2, 2, 2, 5, 3, 3, 3, 7, 7, 4, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 3, 3, 3, 3, 8, 2, 3, 3, 3, 3, 3, 5, 9, 11, 3, 3, 3, 3, 4, 4, 3, 3, 3, 3, 3, 5, 10, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 2, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 11, 10, 10, 10, 10, 10, 11, 10, 11, 10, 11, 10, 9, 9, 11, 3, 3, 3, 3, 3, 3, 2, 2, 3, 3, 5, 5, 3, 7, 8, 7, 6, 6, 11, 4, 4, 4, 4, 7, 8, 9, 9, 2, 3, 7, 4, 4, 2, 5, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 2, 2, 5, 5, 5, 5, 5, 3, 3, 5, 5, 5, 7, 7, 6, 6, 6, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 6, 6, 8, 8, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 6, 9, 12, 3, 7, 10, 7, 2, 2, 3, 3, 3, 3, 3, 4, 3, 3, 2, 2, 2, 2, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 8, 8, 6, 6, 8, 6, 7, 4, 4, 4, 4, 4, 4, 6, 7, 5, 5, 20, 19, 8, 10, 9, 7, 10, 6, 8, 11, 6, 6, 6, 6, 13, 12, 8, 6, 7, 14, 11, 9, 2, 5, 3, 6, 2, 3, 2, 2, 2, 2, 2, 2, 2, 5, 4, 3, 7, 6, 4, 7, 4, 3, 6, 4, 7, 2, 2, 7, 7, 7, 5, 5, 5, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5, 9, 10, 10, 10, 11, 7, 8, 20, 7, 9, 8, 9, 8, 12, 6, 6, 6, 8, 9, 8, 12, 6, 6, 8, 13, 10, 12, 6, 6, 7, 7, 9, 6, 4, 4, 4, 4, 4, 4, 10, 6, 6, 6, 7, 14, 11, 10, 7, 8, 10, 8, 11, 14, 11, 11, 9, 7, 9, 8, 11, 13, 9, 17, 10, 9, 2, 2, 2, 9, 3, 3, 3, 3, 15, 14, 9, 5, 5, 2, 8, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 15, 12, 22, 19, 17, 18, 18, 19, 21, 7, 16, 16, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 7, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 9, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5, 7, 16, 11, 11, 7, 7, 7, 7, 17, 7, 8, 12, 15, 9, 19, 7, 19, 8, 21, 11, 12, 19, 14, 22, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 16, 16, 19, 24, 12, 7, 14, 7, 12, 7, 8, 10, 10, 13, 7, 12, 12, 7, 7, 10, 18, 15, 12, 16, 7, 14, 12, 17, 10, 16, 17, 12, 17, 25, 7, 7, 7, 13, 6, 9, 6, 9, 18, 6, 6, 11, 20, 10, 6, 6, 6, 6, 6, 6, 17, 6, 6, 6, 15, 6, 6, 6, 6, 6, 8, 14, 11, 12, 11, 15, 13, 19, 17, 21, 7, 18, 8, 13, 13, 8, 12, 8, 6, 6, 13, 6, 15, 15, 16, 6, 6, 16, 6, 6, 6, 14, 6, 18, 6, 6, 6, 17, 18, 9, 13, 15, 8, 19, 8, 15, 15, 18, 14, 16, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 6, 11, 10, 11, 6, 21, 23, 12, 17, 12, 11, 14, 13, 22, 15, 15, 11, 12, 14, 12, 7, 12, 8, 12, 14, 12, 18, 10, 8, 16, 19, 17, 12, 14, 15, 8, 19, 17, 12, 13, 13, 15, 18, 13, 23, 24, 23, 21, 17, 24, 8, 21, 8, 14, 14, 16, 20, 14, 8, 8, 15, 20, 8, 19, 21, 9, 8, 13, 12, 13, 15, 11, 8, 11, 9, 9, 8, 11, 8, 21, 14, 21, 15, 15, 13, 7, 19, 7, 7, 7, 7, 7, 7, 16, 12, 17, 18, 7, 7, 11, 11, 7, 9, 9, 2, 2, 3, 3, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 5, 5, 5, 5, 5, 5, 5, 5, 3, 3, 10, 10, 7, 9, 7, 7, 7, 6, 8, 6, 6, 6, 6, 6, 6, 6, 7, 6, 8, 6, 6, 9, 7, 7, 7, 4, 4, 4, 4, 4, 4, 4, 4, 8, 9, 8, 7, 8, 7, 8, 10, 7, 5, 5, 5, 5, 5, 5, 3, 9, 7, 7, 8, 6, 6, 6, 6, 6, 6, 6, 6, 9, 6, 6, 9, 11, 13, 7, 8, 9, 9, 5, 5, 5, 7, 8, 6, 6, 6, 6, 6, 6, 6, 7, 8, 9, 7, 10, 9, 10, 7, 8, 5, 5, 5, 5, 5, 5, 7, 7, 9, 8, 7, 7, 6, 6, 6, 6, 6, 6, 10, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 9, 10, 4, 4, 4, 4, 8, 7, 7, 10, 10, 9, 8, 8, 15, 9, 8, 8, 8, 8, 8, 9, 10, 9, 10, 7, 8, 13, 5, 5, 5, 5, 5, 3, 3, 7, 7, 8, 6, 6, 6, 4, 4, 11, 9, 7, 8, 9, 10, 7, 5, 5, 5, 5, 5, 3, 3, 7, 6, 6, 13, 7, 9, 8, 7, 5, 5, 5, 5, 5, 5, 5, 5, 3, 3, 3, 3, 7, 8, 7, 8, 13, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 8, 8, 6, 6, 6, 6, 7, 6, 7, 6, 6, 9, 7, 4, 4, 4, 4, 4, 4, 4, 7, 8, 7, 8, 9, 8, 8, 8, 7, 10, 7, 8, 5, 5, 5, 5, 5, 5, 5, 5, 3, 7, 7, 7, 7, 9, 7, 10, 9, 6, 6, 6, 6, 6, 8, 8, 6, 6, 6, 7, 6, 6, 6, 9, 9, 4, 4, 13, 7, 10, 9, 9, 12, 7, 8, 8, 10, 8, 8, 8, 8, 8, 8, 5, 5, 5, 5, 3, 7, 7, 11, 7, 9, 8, 8, 6, 6, 10, 6, 8, 8, 8, 6, 7, 6, 6, 12, 4, 4, 4, 4, 4, 4, 4, 4, 4, 9, 8, 8, 16, 8, 9, 8, 7, 5, 5, 5, 5, 5, 3, 3, 7, 7, 7, 10, 15, 8, 9, 8, 9, 9, 6, 6, 6, 6, 6, 6, 7, 4, 8, 7, 8, 8, 7, 8, 11, 8, 5, 5, 5, 5, 5, 3, 7, 7, 6, 11, 16, 7, 6, 4, 4, 4, 4, 9, 9, 8, 8, 8, 13, 12, 8, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 11, 7, 8, 8, 9, 13, 7, 7, 7, 9, 8, 8, 9, 12, 7, 12, 7, 12, 8, 7, 10, 12, 9, 9, 6, 6, 8, 8, 6, 6, 6, 6, 6, 6, 6, 9, 8, 9, 11, 8, 6, 6, 6, 6, 6, 12, 7, 6, 6, 6, 9, 7, 7, 6, 6, 6, 6, 6, 11, 9, 6, 6, 6, 6, 6, 7, 9, 4, 4, 4, 4, 4, 4, 4, 4, 9, 9, 9, 9, 7, 7, 7, 7, 7, 11, 7, 7, 8, 8, 8, 8, 8, 8, 9, 8, 9, 9, 7, 7, 11, 11, 7, 12, 8, 8, 8, 8, 8, 7, 8, 8, 8, 8, 8, 13, 12, 8, 8, 8, 8, 7, 7, 7, 9, 5, 5, 5, 5, 5, 5, 5, 3, 3, 7, 7, 11, 7, 8, 8, 8, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 10, 11, 6, 7, 9, 4, 4, 4, 4, 4, 4, 9, 9, 8, 9, 8, 8, 8, 7, 7, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3, 3, 11, 7, 7, 7, 9, 6, 6, 11, 8, 10, 6, 6, 6, 12, 8, 8, 7, 6, 6, 8, 7, 4, 4, 4, 4, 4, 4, 4, 4, 9, 10, 9, 9, 8, 10, 9, 11, 8, 5, 5, 5, 7, 6, 6, 8, 7, 4, 4, 4, 4, 8, 7, 7, 8, 7, 8, 8, 5, 5, 5, 5, 7, 7, 8, 8, 8, 6, 6, 6, 6, 6, 10, 8, 9, 13, 6, 7, 6, 6, 8, 7, 8, 4, 4, 4, 4, 11, 8, 8, 8, 10, 5, 5, 8, 7, 8, 13, 8, 7, 6, 8, 6, 9, 7, 8, 7, 5, 5, 5, 5, 5, 5, 3, 3, 7, 8, 9, 6, 4, 8, 10, 10, 8, 12, 9, 13, 2, 7, 5, 5, 5, 5, 5, 7, 7, 10, 6, 6, 6, 6, 6, 6, 6, 8, 4, 4, 9, 8, 8, 8, 14, 8, 8, 8, 9, 8, 5, 5, 5, 5, 5, 3, 3, 9, 6, 6, 6, 6, 10, 12, 6, 6, 6, 6, 6, 6, 6, 4, 4, 4, 4, 11, 8, 7, 8, 8, 8, 5, 5, 3, 3, 3, 3, 7, 7, 6, 8, 6, 8, 11, 7, 6, 6, 6, 7, 4, 8, 11, 9, 10, 5, 5, 5, 3, 3, 3, 7, 7, 8, 9, 8, 15, 9, 6, 6, 6, 6, 6, 6, 11, 11, 4, 4, 4, 4, 4, 7, 9, 9, 10, 8, 7, 5, 5, 5, 5, 5, 5, 3, 3, 8, 6, 6, 6, 6, 6, 6, 6, 6, 6, 9, 7, 4, 4, 4, 4, 4, 9, 9, 8, 8, 10, 13, 5, 5, 5, 3, 17, 7, 7, 7, 7, 7, 8, 6, 8, 13, 6, 6, 6, 6, 6, 6, 6, 6, 4, 4, 4, 9, 10, 8, 8, 8, 5, 5, 5, 5, 3, 7, 7, 7, 8, 8, 6, 6, 6, 8, 8, 8, 9, 10, 8, 4, 8, 10, 9, 8, 8, 8, 9, 13, 10, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3, 3, 7, 8, 9, 9, 7, 7, 7, 10, 9, 9, 8, 9, 8, 8, 8, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 8, 12, 6, 6, 6, 6, 6, 6, 6, 6, 6, 12, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 11, 8, 8, 9, 9, 10, 8, 9, 7, 7, 5, 5, 5, 5, 5, 5, 3, 7, 8, 7, 6, 6, 8, 6, 6, 10, 4, 7, 8, 9, 12, 8, 7, 7, 5, 5, 5, 5, 5, 5, 3, 3, 7, 14, 7, 9, 8, 8, 6, 6, 8, 12, 12, 6, 6, 7, 7, 10, 4, 4, 4, 4, 4, 9, 9, 14, 9, 13, 8, 7, 5, 5, 5, 6, 6, 6, 7, 4, 8, 7, 5, 5, 5, 5, 5, 5, 5, 5, 3, 3, 7, 7, 7, 8, 6, 6, 6, 6, 6, 6, 12, 6, 6, 6, 6, 4, 4, 9, 9, 8, 8, 11, 7, 7, 7, 5, 5, 5, 3, 9, 8, 6, 6, 7, 4, 4, 4, 4, 4, 4, 8, 8, 11, 5, 5, 5, 7, 7, 7, 9, 6, 6, 6, 6, 6, 6, 9, 8, 4, 4, 4, 4, 7, 12, 9, 8, 8, 8, 7, 10, 10, 5, 5, 5, 5, 5, 5, 5, 3, 11, 14, 8, 7, 8, 8, 6, 6, 6, 6, 6, 8, 7, 6, 6, 6, 7, 6, 8, 9, 4, 4, 4, 7, 8, 9, 7, 9, 7, 7, 9, 8, 5, 5, 5, 5, 5, 5, 5, 5, 5, 11, 3, 9, 7, 7, 12, 14, 8, 6, 6, 12, 11, 8, 6, 6, 6, 6, 6, 6, 6, 6, 6, 15, 7, 4, 4, 4, 16, 9, 9, 9, 8, 9, 9, 9, 9, 9, 8, 8, 8, 13, 11, 8, 5, 5, 5, 5, 3, 7, 6, 6, 8, 8, 8, 6, 6, 7, 10, 7, 4, 4, 4, 4, 9, 7, 8, 7, 7, 7, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3, 7, 7, 7, 9, 6, 6, 6, 6, 6, 8, 8, 7, 7, 9, 6, 6, 6, 7, 6, 6, 6, 6, 6, 15, 4, 4, 4, 4, 4, 8, 8, 7, 8, 12, 9, 8, 8, 8, 8, 8, 9, 8, 8, 10, 8, 8, 8, 8, 16, 9, 10, 2, 5, 5, 5, 5, 5, 5, 5, 9, 7, 6, 8, 9, 4, 4, 4, 4, 4, 7, 8, 8, 8, 9, 8, 11, 10, 5, 5, 5, 5, 3, 7, 8, 6, 6, 6, 6, 6, 8, 6, 6, 6, 6, 4, 12, 10, 12, 7, 7, 7, 7, 7, 7, 7, 5, 5, 5, 5, 3, 3, 7, 7, 10, 8, 9, 7, 6, 10, 7, 6, 6, 4, 4, 8, 9, 7, 9, 9, 9, 9, 8, 8, 8, 8, 10, 5, 5, 5, 5, 5, 5, 8, 7, 6, 6, 6, 10, 6, 7, 10, 7, 4, 4, 4, 4, 4, 4, 4, 12, 9, 10, 7, 7, 10, 8, 10, 5, 12, 9, 6, 6, 6, 6, 6, 7, 6, 4, 4, 4, 10, 9, 9, 8, 7, 7, 5, 5, 5, 5, 5, 5, 3, 3, 13, 7, 7, 9, 7, 7, 7, 8, 9, 9, 7, 8, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 7, 13, 9, 15, 15, 4, 4, 4, 4, 4, 10, 10, 9, 8, 9, 8, 8, 9, 7, 8, 7, 8, 5, 5, 7, 6, 6, 6, 4, 4, 4, 7, 8, 11, 8, 5, 5, 5, 5, 5, 5, 5, 7, 6, 6, 6, 6, 6, 6, 9, 11, 10, 7, 4, 4, 4, 9, 8, 8, 5, 5, 5, 5, 5, 9, 9, 6, 6, 6, 6, 6, 6, 6, 9, 9, 4, 4, 4, 4, 8, 8, 8, 9, 9, 8, 8, 8, 13, 2, 4, 2, 7, 5, 5, 5, 5, 5, 5, 9, 9, 6, 6, 6, 6, 10, 8, 8, 8, 6, 6, 6, 4, 4, 9, 8, 10, 8, 9, 8, 8, 8, 9, 8, 8, 5, 3, 3, 3, 11, 6, 6, 6, 7, 6, 6, 6, 4, 4, 9, 8, 5, 5, 5, 5, 5, 3, 11, 8, 6, 6, 6, 6, 6, 9, 7, 4, 4, 14, 10, 9, 8, 12, 8, 8, 8, 11, 15, 8, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 11, 11, 11, 10, 10, 7, 7, 3, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3, 3, 3, 7, 11, 7, 7, 11, 11, 7, 8, 9, 10, 7, 7, 9, 9, 9, 9, 7, 7, 10, 8, 13, 8, 8, 8, 8, 11, 10, 6, 6, 8, 10, 11, 14, 14, 6, 6, 6, 6, 6, 6, 9, 11, 7, 7, 6, 8, 12, 11, 11, 6, 6, 10, 6, 6, 6, 6, 6, 10, 7, 7, 6, 6, 11, 6, 6, 6, 11, 8, 9, 7, 6, 10, 11, 9, 10, 11, 7, 11, 8, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 6, 6, 8, 9, 10, 9, 6, 6, 6, 10, 6, 6, 6, 6, 11, 10, 11, 10, 9, 8, 7, 7, 7, 7, 11, 14, 8, 10, 9, 9, 8, 8, 7, 11, 8, 8, 8, 11, 11, 10, 10, 9, 10, 8, 11, 10, 8, 11, 9, 12, 8, 10, 8, 11, 8, 9, 9, 11, 11, 10, 11, 13, 8, 7, 8, 8, 9, 7, 8, 8, 8, 8, 7, 8, 2, 2, 2, 2, 2, 2, 2, 4, 4, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 2, 3, 3, 3, 3, 3, 3, 3, 3, 8, 6, 4, 4, 4, 11, 7, 11, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 6, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 5, 5, 5, 5, 3, 3, 3, 3, 8, 7, 7, 8, 8, 4, 8, 7, 7, 7, 9, 7, 8, 9, 8, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 6, 3, 3, 3, 3, 3, 3, 3, 3, 4, 2, 2, 3, 3, 3, 3, 3, 3, 4, 5, 5, 3, 3, 8, 6, 8, 6, 9, 4, 4, 10, 7, 3, 3, 3, 2, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 3, 2, 2, 2, 3, 3, 3, 3, 3, 4, 10, 2, 3, 3, 3, 3, 3, 3, 3, 4, 2, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 3, 3, 3, 5, 2, 4, 2, 6, 2, 2, 9, 5, 5, 3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 5, 9, 8, 7, 9, 6, 6, 11, 4, 4, 4, 4, 4, 4, 4, 4, 6, 6, 7, 7, 11, 8, 8, 6, 5, 11, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 2, 2, 3, 3, 3, 3, 3, 3, 6, 4, 4, 4, 4, 3, 3, 3, 3, 5, 7, 2, 3, 3, 3, 3, 3, 8, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 6, 4, 4, 4, 4, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 2, 2, 3, 3, 3, 3, 3, 3, 2, 3, 3, 3, 3, 3, 6, 3, 3, 8, 10, 3, 4, 4, 1, 1, 1, 1, 1, 1, 1, 8, 9, 10, 7, 7, 1, 14, 18, 13, 18, 13, 10, 10, 16, 13, 18, 16, 13, 16, 18, 13, 22, 16, 16, 16, 14, 21, 16, 9, 14, 16, 9, 9, 14, 10, 10, 14, 12, 14, 19, 12, 11, 18, 13, 17, 15, 15, 15, 15, 16, 14, 13, 19, 18, 15, 19, 18, 12, 18, 12, 11, 20, 14, 15, 10, 17, 17, 16, 19, 20, 21, 15, 13, 16, 15, 15, 15, 1, 1, 3, 8, 7, 7, 8, 8, 8, 1, 6, 1, 1, 6, 3, 3, 4, 7, 3, 3, 5, 5, 4, 4, 4, 4, 4, 2, 7, 7, 8, 12, 3, 4, 5, 1, 3, 4, 4, 10, 4, 3, 3, 3, 8, 7, 7, 2, 2, 2, 2, 2, 2, 2, 2, 2, 12, 9, 20, 7, 5, 5, 5, 9, 13, 5, 5, 5, 5, 5, 3, 3, 3, 16, 5, 5, 5, 13, 7, 8, 8, 11, 8, 7, 9, 7, 11, 12, 9, 9, 8, 8, 11, 10, 14, 7, 12, 10, 11, 13, 7, 9, 11, 17, 17, 14, 13, 7, 8, 7, 10, 10, 7, 16, 13, 7, 8, 17, 12, 9, 8, 6, 7, 10, 6, 6, 12, 6, 8, 10, 8, 8, 8, 6, 8, 6, 14, 6, 6, 6, 13, 6, 10, 6, 6, 7, 14, 8, 6, 6, 10, 11, 10, 9, 9, 7, 7, 6, 6, 6, 9, 9, 7, 9, 10, 9, 13, 12, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 6, 6, 6, 8, 8, 6, 8, 9, 10, 9, 7, 10, 10, 8, 7, 8, 7, 10, 12, 9, 8, 15, 8, 7, 8, 8, 7, 7, 15, 13, 7, 10, 9, 14, 18, 16, 7, 24, 7, 8, 10, 11, 16, 8, 14, 7, 9, 9, 9, 13, 19, 14, 15, 14, 11, 7, 13, 9, 10, 7, 13, 9, 10, 11, 12, 8, 9, 2, 3, 5, 8, 7, 4, 4, 15, 10, 5, 3, 3, 3, 3, 3, 5, 4, 4, 4, 2, 2, 2, 2, 2, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 2, 12, 5, 3, 8, 10, 15, 6, 7, 2, 3, 2, 5, 5, 12, 2, 5, 5, 5, 5, 2, 2, 5, 5, 12, 9, 5, 2, 2, 9, 5, 5, 12, 12, 5, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 9, 12, 5, 8, 8, 9, 5, 5, 5, 8, 19, 7, 16, 15, 14, 9, 9, 9, 9, 7, 11, 11, 11, 7, 14, 10, 10, 5, 5, 5, 5, 5, 5, 5, 5, 5, 15, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 9, 9, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 14, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 15, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 5, 5, 5, 5, 5, 12, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 9, 9, 12, 9, 9, 12, 12, 12, 15, 7, 11, 7, 14, 11, 18, 13, 8, 18, 15, 18, 12, 14, 12, 8, 8, 8, 8, 9, 9, 9, 12, 7, 10, 10, 8, 8, 12, 12, 12, 7, 12, 12, 9, 7, 7, 7, 7, 7, 8, 15, 12, 9, 10, 10, 7, 10, 10, 13, 11, 10, 9, 22, 11, 9, 8, 8, 8, 8, 8, 13, 18, 13, 9, 15, 19, 9, 7, 7, 10, 7, 7, 7, 11, 8, 13, 17, 7, 7, 10, 10, 10, 7, 20, 16, 7, 7, 7, 7, 7, 7, 11, 21, 12, 12, 13, 11, 14, 16, 8, 8, 13, 11, 7, 7, 13, 7, 7, 14, 15, 15, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 13, 10, 18, 6, 6, 6, 6, 6, 6, 6, 6, 6, 11, 8, 8, 12, 12, 11, 11, 8, 12, 9, 9, 9, 13, 13, 9, 9, 9, 9, 9, 9, 6, 10, 12, 6, 6, 6, 6, 17, 11, 7, 7, 7, 7, 14, 14, 12, 6, 7, 7, 6, 6, 15, 10, 13, 10, 6, 8, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 7, 13, 9, 9, 15, 13, 6, 12, 12, 6, 19, 11, 10, 7, 7, 16, 8, 19, 17, 9, 9, 9, 9, 9, 6, 6, 6, 10, 8, 16, 8, 6, 6, 9, 6, 6, 6, 6, 6, 6, 6, 6, 8, 8, 8, 6, 7, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 14, 6, 6, 6, 6, 20, 6, 9, 6, 14, 9, 9, 9, 6, 9, 8, 8, 12, 9, 8, 8, 8, 8, 7, 8, 12, 7, 8, 8, 8, 6, 8, 6, 6, 6, 6, 6, 6, 6, 9, 8, 8, 6, 6, 13, 9, 12, 13, 12, 14, 13, 12, 11, 11, 6, 8, 8, 8, 6, 13, 12, 11, 11, 12, 6, 11, 12, 11, 13, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 15, 6, 6, 6, 6, 6, 6, 6, 13, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 8, 8, 8, 8, 6, 18, 6, 12, 13, 13, 13, 9, 10, 15, 9, 12, 6, 6, 6, 6, 6, 6, 6, 6, 9, 15, 10, 9, 10, 13, 9, 19, 8, 18, 17, 10, 10, 8, 8, 6, 6, 6, 6, 6, 6, 10, 14, 8, 16, 16, 9, 8, 15, 8, 8, 10, 12, 14, 7, 7, 8, 8, 7, 7, 7, 7, 8, 13, 13, 11, 9, 9, 9, 12, 10, 17, 8, 11, 9, 7, 7, 14, 8, 14, 14, 7, 7, 7, 7, 7, 7, 14, 7, 7, 7, 7, 7, 10, 10, 8, 14, 7, 7, 7, 7, 8, 8, 8, 8, 8, 17, 9, 7, 15, 7, 8, 12, 7, 9, 14, 7, 7, 7, 9, 13, 8, 14, 7, 16, 18, 13, 15, 14, 12, 13, 10, 15, 9, 7, 7, 7, 10, 13, 15, 15, 9, 9, 9, 9, 19, 11, 7, 11, 11, 13, 8, 8, 8, 8, 7, 12, 19, 17, 9, 9, 13, 7, 7, 7, 9, 7, 7, 7, 12, 13, 15, 10, 8, 8, 14, 15, 12, 13, 13, 8, 12, 14, 7, 11, 7, 14, 15, 13, 12, 8, 8, 8, 8, 11, 13, 15, 15, 8, 13, 12, 8, 8, 8, 13, 10, 16, 14, 11, 8, 8, 12, 12, 9, 15, 15, 12, 12, 13, 8, 8, 9, 12, 13, 9, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 11, 12, 11, 7, 14, 7, 13, 13, 13, 12, 18, 16, 7, 12, 11, 10, 10, 15, 9, 9, 9, 21, 7, 7, 7, 11, 16, 8, 8, 11, 11, 7, 7, 7, 7, 7, 19, 7, 7, 7, 7, 7, 7, 7, 7, 7, 12, 8, 9, 12, 14, 11, 9, 9, 9, 22, 12, 3, 3, 4, 8, 8, 15, 4, 2, 2, 5, 5, 3, 3, 3, 3, 3, 3, 6, 6, 4, 4, 4, 12, 7, 10, 2, 3, 3, 3, 3, 3, 3, 3, 6, 7, 3, 7, 5, 14, 4, 4, 7, 10, 4, 1, 3, 3, 6, 2, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 4, 2, 2, 5, 3, 4, 2, 2, 2, 2, 2, 2, 2, 11, 5, 5, 5, 11, 5, 5, 3, 5, 5, 5, 5, 11, 14, 13, 9, 11, 9, 12, 8, 11, 11, 8, 11, 16, 9, 9, 7, 10, 9, 12, 8, 15, 6, 6, 7, 6, 6, 13, 10, 8, 11, 8, 6, 6, 6, 12, 16, 6, 11, 7, 8, 9, 18, 6, 6, 9, 4, 4, 6, 13, 6, 6, 6, 6, 8, 8, 9, 16, 7, 7, 14, 7, 8, 8, 8, 7, 7, 7, 7, 7, 7, 15, 13, 7, 10, 7, 7, 10, 12, 16, 15, 7, 9, 9, 14, 11, 11, 10, 9, 10, 8, 12, 7, 8, 7, 7, 10, 12, 7, 12, 8, 7, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 3, 3, 5, 5, 5, 10, 8, 7, 4, 4, 4, 8, 7, 10, 9, 7, 9, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 1, 3, 3, 3, 3, 3, 3, 3, 7, 4, 5, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 5, 5, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5, 6, 6, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 9, 8, 2, 2, 2, 8, 12, 7, 7, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 8, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 5, 7, 11, 9, 8, 8, 8, 7, 8, 9, 7, 7, 9, 7, 7, 7, 10, 7, 7, 10, 9, 10, 6, 6, 6, 6, 6, 6, 15, 7, 8, 9, 9, 8, 6, 6, 10, 9, 6, 8, 13, 9, 7, 6, 6, 6, 6, 6, 6, 12, 6, 6, 7, 6, 7, 6, 6, 6, 10, 10, 7, 6, 6, 6, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 6, 14, 6, 6, 7, 7, 9, 6, 6, 6, 6, 9, 9, 8, 9, 10, 9, 8, 9, 12, 7, 7, 7, 8, 7, 10, 12, 11, 9, 10, 7, 7, 7, 9, 10, 10, 8, 12, 9, 7, 7, 9, 8, 8, 8, 10, 7, 7, 8, 9, 9, 7, 7, 7, 8, 2, 4, 2, 4, 6, 3, 4, 2, 3, 3, 3, 3, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 5, 5, 3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 8, 6, 4, 7, 3, 3, 3, 3, 3, 3, 3, 12, 3, 3, 3, 3, 3, 3, 4, 4, 2, 3, 5, 3, 4, 7, 3, 3, 3, 3, 3, 3, 4, 3, 3, 3, 3, 3, 3, 3, 4, 3, 3, 6, 4, 3, 4, 2, 2, 2, 5, 3, 3, 3, 3, 3, 5, 4, 4, 4, 4, 2, 7, 6, 8, 9, 2, 2, 2, 2, 3, 3, 3, 5, 7, 2, 3, 3, 8, 7, 7, 2, 2, 8, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 8, 8, 7, 7, 6, 10, 6, 9, 7, 11, 4, 6, 8, 8, 7, 8, 4, 2, 5, 5, 5, 5, 3, 3, 3, 11, 8, 9, 6, 6, 8, 7, 4, 4, 7, 6, 8, 7, 2, 2, 3, 3, 3, 3, 4, 3, 3, 3, 3, 3, 3, 3, 3, 7, 2, 2, 5, 3, 3, 2, 3, 3, 3, 3, 3, 3, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 12, 5, 5, 3, 3, 3, 5, 10, 12, 6, 15, 4, 6, 6, 7, 14, 9, 3, 3, 3, 3, 3, 8, 2, 2, 3, 5, 5, 3, 3, 3, 3, 3, 3, 8, 8, 6, 8, 7, 5, 8, 4, 6, 11, 2, 2, 7, 3, 3, 2, 9, 8, 8, 5, 5, 5, 3, 3, 3, 5, 5, 5, 7, 7, 6, 6, 10, 6, 8, 6, 8, 9, 7, 4, 4, 4, 4, 4, 7, 6, 6, 8, 7, 7, 10, 9, 9, 8, 11, 8, 3, 3, 3, 3, 3, 4, 4, 2, 3, 3, 3, 3, 3, 7, 6, 2, 5, 5, 6, 7, 6, 4, 8, 9, 11, 2, 2, 3, 3, 3, 3, 3, 3, 3, 2, 2, 5, 3, 3, 3, 3, 3, 9, 9, 6, 4, 8, 7, 7, 5, 9, 8, 6, 2, 6, 8, 7, 8, 5, 5, 5, 5, 5, 3, 3, 3, 16, 8, 7, 7, 7, 8, 7, 7, 7, 7, 9, 6, 9, 6, 10, 7, 7, 7, 6, 10, 8, 9, 11, 11, 8, 4, 4, 10, 8, 8, 6, 9, 6, 11, 8, 8, 8, 15, 7, 8, 9, 5, 3, 3, 3, 3, 3, 5, 2, 2, 3, 8, 9, 10, 3, 2, 2, 2, 2, 2, 2, 3, 6, 4, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 2, 3, 3, 3, 3, 3, 3, 3, 11, 5, 3, 3, 3, 3, 3, 3, 3, 3, 6, 7, 4, 4, 2, 3, 3, 3, 3, 3, 3, 3, 12, 7, 4, 12, 4, 6, 5, 4, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 11, 10, 6, 4, 6, 10, 8, 3, 3, 3, 3, 3, 3, 3, 3, 5, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 5, 3, 4, 4, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 10, 5, 5, 5, 5, 5, 5, 3, 3, 3, 3, 3, 3, 3, 3, 7, 8, 8, 7, 13, 12, 10, 10, 8, 8, 7, 7, 9, 12, 11, 6, 6, 8, 8, 9, 7, 7, 7, 10, 15, 10, 4, 4, 4, 4, 4, 11, 8, 8, 9, 7, 9, 14, 14, 12, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 12, 5, 5, 11, 10, 7, 9, 3, 8, 7, 3, 15, 13, 11, 4, 4, 2, 2, 2, 19, 7, 5, 5, 3, 3, 3, 3, 3, 3, 3, 5, 22, 18, 6, 14, 17, 4, 4, 19, 16, 18, 2, 3, 3, 7, 2, 3, 2, 3, 3, 6, 4, 2, 3, 3, 2, 5, 3, 3, 3, 3, 3, 3, 3, 9, 9, 2, 3, 2, 2, 2, 3, 3, 3, 5, 7, 14, 7, 7, 12, 9, 13, 6, 11, 6, 10, 9, 7, 7, 8, 12, 12, 8, 8, 8, 10, 7, 7, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 5, 10, 7, 8, 11, 8, 12, 9, 4, 14, 7, 7, 9, 13, 2, 3, 3, 3, 3, 3, 3, 2, 3, 3, 3, 1, 2, 2, 3, 3, 3, 3, 3, 3, 5, 2, 2, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 8, 4, 4, 4, 3, 2, 3, 3, 3, 3, 5, 2, 2, 2, 2, 2, 2, 2, 5, 5, 5, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8, 12, 9, 8, 8, 9, 8, 6, 17, 6, 6, 6, 8, 8, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 7, 4, 4, 8, 8, 9, 9, 9, 7, 7, 7, 7, 7, 7, 7, 9, 9, 9, 7, 8, 8, 8, 10, 7, 13, 10, 8, 9, 3, 3, 5, 3, 3, 3, 3, 3, 7, 7, 6, 6, 10, 13, 11, 11, 8, 8, 9, 8, 9, 9, 10, 10, 10, 11, 10, 10, 13, 13, 16, 15, 11, 12, 9, 9, 10, 9, 11, 10, 9, 9, 14, 7, 8, 3, 10, 7, 7, 3, 2, 2, 2, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 6, 7, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 11, 6, 7, 4, 6, 2, 2, 3, 3, 3, 1, 3, 3, 3, 3, 3, 3, 6, 4, 4, 2, 2, 2, 3, 3, 3, 3, 4, 4, 6, 6, 6, 6, 5, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 9, 11, 6, 10, 9, 12, 7, 7, 11, 14, 9, 7, 12, 3, 3, 7, 12, 11, 12, 7, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 9, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3, 3, 3, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 11, 5, 5, 5, 5, 5, 5, 5, 5, 11, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 5, 5, 5, 5, 5, 3, 3, 3, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3, 3, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3, 10, 3, 3, 3, 11, 3, 5, 9, 11, 8, 12, 14, 9, 7, 8, 7, 7, 11, 11, 7, 7, 10, 9, 8, 10, 9, 7, 7, 7, 7, 7, 7, 8, 8, 7, 11, 8, 8, 8, 7, 7, 10, 8, 7, 13, 12, 7, 17, 10, 8, 8, 11, 7, 11, 11, 14, 7, 11, 7, 8, 6, 9, 20, 8, 7, 9, 16, 7, 10, 6, 11, 10, 8, 9, 7, 16, 11, 11, 9, 8, 9, 8, 8, 8, 11, 8, 15, 8, 8, 9, 7, 8, 8, 11, 10, 7, 5, 7, 10, 10, 15, 7, 7, 7, 8, 7, 8, 8, 10, 11, 10, 10, 10, 11, 11, 7, 8, 6, 8, 8, 10, 6, 8, 6, 6, 7, 8, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 16, 6, 15, 6, 7, 11, 11, 7, 9, 10, 11, 13, 10, 6, 16, 8, 10, 12, 11, 6, 6, 6, 6, 6, 6, 6, 10, 6, 10, 7, 7, 7, 11, 7, 11, 6, 6, 6, 6, 6, 6, 17, 7, 7, 6, 6, 12, 22, 6, 6, 6, 6, 6, 8, 6, 6, 6, 6, 7, 6, 6, 5, 6, 6, 8, 11, 6, 9, 14, 11, 9, 11, 7, 7, 8, 6, 6, 6, 8, 10, 9, 6, 6, 6, 6, 9, 7, 6, 6, 6, 6, 6, 15, 6, 4, 4, 4, 6, 4, 17, 8, 11, 6, 6, 9, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 7, 6, 6, 6, 6, 10, 6, 10, 6, 6, 6, 6, 12, 8, 6, 6, 6, 6, 6, 6, 6, 6, 6, 9, 6, 6, 6, 6, 18, 6, 6, 6, 8, 9, 10, 7, 8, 9, 10, 11, 7, 13, 6, 8, 8, 6, 6, 14, 7, 7, 7, 7, 10, 7, 14, 9, 6, 6, 9, 15, 9, 7, 14, 6, 11, 14, 13, 7, 12, 8, 7, 7, 7, 7, 7, 12, 7, 10, 9, 16, 6, 8, 6, 5, 17, 6, 8, 10, 4, 6, 4, 10, 15, 17, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 4, 4, 11, 7, 4, 4, 7, 7, 7, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 19, 17, 6, 10, 11, 6, 6, 6, 6, 18, 6, 6, 11, 4, 4, 4, 5, 6, 6, 6, 9, 5, 6, 4, 6, 6, 4, 6, 6, 6, 6, 10, 6, 6, 4, 6, 6, 10, 6, 10, 6, 6, 6, 6, 11, 6, 6, 10, 6, 6, 8, 6, 6, 6, 8, 6, 11, 4, 11, 9, 10, 9, 11, 4, 8, 4, 11, 12, 7, 9, 8, 6, 7, 7, 8, 12, 12, 11, 13, 10, 11, 7, 7, 7, 9, 7, 11, 10, 7, 7, 7, 16, 11, 10, 11, 17, 9, 9, 8, 8, 7, 7, 7, 9, 7, 7, 7, 14, 7, 13, 9, 11, 10, 14, 10, 10, 12, 11, 10, 7, 10, 5, 14, 8, 8, 8, 9, 7, 8, 7, 7, 9, 8, 7, 8, 7, 7, 7, 7, 7, 7, 7, 11, 8, 10, 8, 7, 8, 14, 11, 8, 9, 9, 9, 8, 24, 10, 10, 12, 7, 7, 15, 11, 8, 8, 12, 11, 8, 9, 9, 7, 8, 9, 10, 11, 10, 11, 7, 12, 7, 7, 11, 9, 8, 14, 13, 12, 8, 11, 10, 8, 8, 7, 7, 14, 9, 10, 8, 9, 11, 7, 14, 8, 8, 13, 8, 8, 12, 7, 10, 14, 14, 11, 9, 10, 9, 9, 7, 7, 11, 11, 13, 9, 13, 5, 5, 5, 7, 9, 5, 11, 12, 14, 8, 7, 7, 11, 10, 9, 7, 8, 8, 7, 10, 11, 11, 5, 5, 7, 5, 5, 5, 7, 7, 15, 7, 7, 8, 7, 15, 12, 12, 10, 7, 8, 7, 11, 7, 7, 7, 23, 11, 8, 8, 11, 10, 7, 8, 11, 7, 19, 7, 7, 6, 9, 9, 9, 11, 3, 4, 7, 8, 6, 6, 4, 10, 8, 2, 2]);
    var edgeChild = /* @__PURE__ */ new Uint16Array([0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 8, 9, 1, 0, 0, 0, 0, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 1, 1, 1, 1, 1, 18, 1, 1, 1, 1, 1, 1, 8, 1, 8, 1, 8, 14, 1, 1, 1, 1, 8, 1, 8, 1, 1, 1, 1, 1, 15, 24, 1, 1, 1, 1, 1, 1, 21, 1, 1, 1, 1, 22, 8, 1, 1, 1, 1, 1, 1, 1, 1, 23, 1, 1, 1, 17, 19, 1, 1, 16, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 25, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 20, 1, 1, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 1, 27, 28, 29, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 8, 8, 8, 8, 1, 36, 0, 0, 0, 1, 1, 1, 1, 39, 38, 1, 1, 1, 1, 1, 37, 1, 1, 1, 1, 41, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 42, 0, 0, 0, 0, 43, 44, 0, 0, 0, 0, 8, 1, 1, 1, 8, 1, 1, 1, 47, 49, 49, 49, 47, 49, 47, 47, 48, 49, 47, 49, 47, 47, 47, 47, 47, 47, 49, 47, 47, 48, 47, 47, 47, 47, 49, 50, 50, 48, 49, 47, 47, 47, 47, 47, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 53, 55, 53, 53, 53, 55, 53, 54, 53, 56, 53, 54, 54, 53, 53, 53, 54, 56, 54, 56, 53, 54, 54, 8, 58, 58, 57, 59, 54, 56, 53, 53, 51, 52, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 63, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 70, 71, 8, 1, 1, 69, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 80, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 85, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 83, 86, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 84, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 8, 1, 1, 1, 1, 96, 1, 98, 1, 1, 1, 1, 1, 1, 1, 1, 101, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 104, 104, 1, 1, 8, 1, 107, 1, 1, 1, 1, 1, 1, 1, 105, 1, 106, 1, 108, 1, 1, 1, 1, 1, 109, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 117, 118, 1, 1, 1, 1, 1, 1, 120, 120, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 128, 129, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 129, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 129, 1, 1, 1, 1, 1, 1, 1, 1, 1, 133, 130, 132, 127, 1, 131, 1, 1, 121, 1, 1, 1, 1, 124, 1, 134, 1, 1, 1, 1, 1, 1, 126, 1, 115, 116, 1, 8, 135, 113, 119, 1, 1, 8, 1, 1, 1, 114, 122, 1, 8, 8, 8, 125, 123, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 8, 8, 1, 1, 1, 1, 1, 8, 141, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 143, 1, 1, 1, 1, 1, 1, 1, 1, 144, 145, 8, 8, 142, 140, 49, 49, 147, 53, 53, 146, 149, 148, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 152, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 150, 0, 0, 0, 0, 1, 0, 151, 139, 1, 0, 1, 1, 8, 8, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 155, 154, 23, 1, 1, 8, 8, 1, 23, 8, 8, 1, 1, 1, 1, 1, 141, 1, 1, 159, 1, 1, 1, 1, 160, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 1, 1, 143, 1, 1, 159, 1, 1, 1, 1, 160, 1, 1, 1, 141, 1, 1, 1, 159, 1, 164, 1, 1, 1, 160, 1, 1, 141, 1, 1, 1, 164, 1, 1, 1, 1, 1, 141, 1, 1, 1, 1, 1, 1, 1, 1, 141, 1, 1, 164, 1, 1, 164, 1, 1, 1, 1, 1, 1, 1, 170, 1, 1, 1, 159, 1, 1, 164, 1, 1, 1, 160, 1, 1, 170, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 143, 1, 1, 159, 1, 164, 1, 1, 1, 160, 1, 1, 141, 1, 1, 159, 1, 164, 1, 1, 1, 160, 1, 1, 141, 1, 1, 1, 1, 159, 1, 164, 1, 1, 1, 160, 1, 1, 1, 141, 1, 1, 159, 1, 1, 1, 1, 176, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 1, 179, 1, 1, 170, 1, 1, 1, 1, 1, 159, 1, 1, 164, 1, 1, 1, 160, 1, 1, 170, 1, 1, 1, 1, 1, 159, 1, 1, 164, 1, 1, 1, 160, 1, 1, 170, 1, 1, 1, 1, 1, 164, 1, 1, 1, 1, 174, 166, 166, 8, 1, 8, 178, 1, 1, 1, 1, 1, 167, 167, 167, 161, 1, 1, 1, 165, 167, 171, 177, 1, 1, 1, 1, 165, 165, 1, 1, 163, 161, 174, 165, 169, 182, 173, 182, 1, 1, 180, 1, 173, 162, 165, 1, 1, 1, 1, 165, 1, 168, 1, 1, 1, 8, 1, 183, 1, 172, 1, 1, 1, 172, 171, 175, 181, 163, 174, 1, 1, 1, 1, 1, 1, 185, 185, 185, 185, 185, 185, 185, 185, 185, 185, 185, 185, 185, 185, 185, 185, 185, 185, 185, 186, 185, 185, 186, 185, 185, 185, 185, 187, 187, 185, 185, 186, 185, 186, 185, 185, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 189, 8, 1, 1, 8, 1, 8, 8, 8, 8, 1, 8, 8, 8, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 203, 1, 205, 206, 204, 203, 203, 1, 1, 209, 1, 210, 208, 1, 8, 1, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 221, 203, 203, 203, 203, 221, 1, 1, 1, 1, 224, 225, 223, 1, 1, 1, 1, 1, 1, 227, 227, 1, 1, 1, 227, 227, 229, 230, 228, 1, 232, 1, 1, 1, 1, 8, 238, 239, 240, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 207, 211, 1, 1, 1, 1, 158, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 235, 1, 1, 1, 9, 1, 1, 1, 1, 246, 1, 1, 243, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 194, 218, 1, 1, 1, 214, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 201, 1, 1, 1, 1, 1, 1, 1, 219, 1, 1, 1, 1, 234, 1, 1, 1, 1, 184, 1, 222, 1, 217, 1, 1, 1, 220, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 199, 1, 8, 1, 1, 1, 8, 1, 1, 1, 1, 202, 1, 1, 1, 216, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 1, 1, 248, 1, 1, 1, 1, 1, 192, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 233, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 191, 193, 1, 1, 1, 196, 8, 1, 1, 1, 1, 1, 1, 1, 237, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 195, 1, 1, 1, 1, 1, 1, 1, 242, 1, 1, 1, 200, 1, 1, 1, 215, 1, 193, 1, 231, 212, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 219, 1, 1, 1, 1, 198, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 188, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 213, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 244, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 1, 245, 1, 1, 193, 1, 1, 1, 1, 197, 1, 1, 1, 213, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 1, 1, 1, 236, 1, 1, 1, 190, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 226, 1, 1, 1, 8, 8, 1, 1, 1, 1, 1, 1, 1, 247, 1, 1, 241, 1, 1, 8, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 258, 0, 0, 0, 0, 0, 259, 0, 0, 0, 0, 0, 0, 1, 8, 1, 1, 1, 263, 1, 1, 1, 0, 264, 261, 262, 1, 1, 1, 1, 1, 1, 269, 1, 271, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 267, 1, 1, 1, 1, 1, 273, 1, 1, 8, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 272, 1, 1, 1, 8, 1, 1, 1, 1, 268, 1, 1, 1, 266, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 270, 1, 1, 1, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 1, 8, 1, 1, 1, 1, 8, 1, 1, 279, 1, 1, 14, 1, 1, 1, 8, 8, 276, 277, 1, 1, 1, 1, 278, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 281, 1, 1, 8, 17, 1, 1, 1, 1, 1, 1, 282, 1, 1, 1, 280, 8, 8, 1, 1, 1, 1, 1, 1, 1, 282, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 291, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 295, 295, 1, 0, 0, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0, 0, 0, 0, 185, 1, 300, 301, 1, 8, 1, 1, 1, 1, 8, 303, 1, 1, 302, 1, 1, 305, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 310, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 8, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 8, 0, 322, 0, 0, 323, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 339, 1, 1, 1, 1, 1, 1, 0, 0, 63, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 347, 0, 0, 0, 0, 0, 0, 0, 0, 0, 349, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1, 365, 365, 366, 365, 0, 1, 213, 1, 1, 14, 361, 1, 359, 0, 0, 0, 0, 0, 0, 0, 362, 1, 1, 367, 1, 1, 243, 1, 1, 1, 1, 360, 1, 1, 357, 1, 363, 1, 355, 1, 364, 1, 356, 1, 1, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 8, 358, 358, 1, 1, 1, 9, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1, 354, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 370, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 305, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 410, 410, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 402, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 0, 1, 378, 389, 1, 1, 377, 412, 1, 383, 1, 1, 375, 407, 1, 1, 393, 374, 379, 1, 1, 1, 386, 417, 395, 1, 1, 1, 1, 1, 1, 396, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 405, 409, 0, 0, 86, 1, 1, 0, 403, 380, 416, 381, 384, 391, 1, 406, 0, 1, 0, 86, 400, 398, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 419, 1, 1, 390, 1, 86, 1, 0, 1, 1, 1, 422, 1, 0, 0, 86, 397, 0, 1, 376, 1, 1, 1, 0, 1, 1, 399, 1, 0, 1, 1, 1, 0, 1, 424, 387, 1, 1, 0, 1, 0, 0, 415, 0, 1, 1, 1, 86, 408, 1, 1, 404, 401, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 382, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 414, 0, 86, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 418, 1, 1, 1, 0, 0, 421, 0, 0, 0, 1, 394, 1, 0, 86, 420, 1, 0, 0, 0, 0, 423, 1, 1, 0, 0, 1, 0, 1, 0, 392, 0, 388, 0, 1, 1, 1, 0, 1, 1, 0, 411, 385, 413, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 432, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 8, 1, 1, 1, 8, 440, 440, 1, 1, 1, 8, 8, 1, 440, 1, 1, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 452, 1, 1, 0, 1, 1, 1, 1, 243, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 470, 470, 1, 1, 0, 0, 355, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 483, 1, 482, 1, 1, 1, 1, 1, 1, 1, 1, 1, 487, 1, 8, 8, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 495, 1, 1, 1, 497, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 494, 1, 489, 1, 1, 1, 1, 476, 1, 1, 1, 1, 1, 1, 1, 1, 490, 8, 1, 1, 1, 1, 496, 1, 1, 1, 491, 485, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 355, 1, 473, 1, 1, 8, 493, 1, 1, 355, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 478, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 496, 1, 1, 1, 1, 355, 1, 492, 1, 1, 1, 486, 480, 1, 1, 1, 1, 1, 481, 1, 498, 484, 1, 1, 1, 1, 1, 479, 1, 1, 1, 1, 1, 1, 1, 1, 1, 474, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 488, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 477, 1, 1, 1, 1, 1, 475, 1, 258, 499, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 0, 505, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 8, 1, 71, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 509, 0, 509, 509, 509, 509, 509, 509, 509, 0, 509, 509, 509, 509, 509, 1, 509, 509, 509, 0, 509, 509, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 514, 513, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 518, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 511, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 512, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 520, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 509, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 517, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 510, 0, 0, 521, 516, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 515, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 509, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 510, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 509, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 519, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 531, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 237, 237, 1, 535, 1, 1, 1, 534, 1, 1, 1, 1, 1, 530, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 532, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 536, 1, 1, 533, 1, 1, 1, 1, 1, 1, 1, 1, 410, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 537, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 548, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 8, 1, 551, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 556, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 63, 1, 1, 8, 8, 8, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 571, 1, 1, 1, 1, 1, 1, 1, 572, 1, 1, 1, 1, 1, 1, 1, 570, 1, 1, 1, 8, 1, 1, 574, 277, 1, 1, 1, 8, 8, 1, 1, 8, 1, 8, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 578, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 584, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 139, 1, 1, 8, 589, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 114, 1, 1, 1, 8, 1, 1, 1, 1, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 594, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 151, 1, 1, 1, 266, 1, 1, 8, 34, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 619, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 258, 1, 366, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 624, 1, 1, 1, 1, 0, 626, 0, 86, 0, 625, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 8, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 633, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 628, 628, 0, 632, 630, 628, 628, 628, 628, 628, 634, 628, 628, 638, 628, 628, 628, 628, 628, 628, 628, 628, 628, 628, 635, 632, 628, 628, 632, 628, 628, 628, 628, 628, 628, 628, 628, 628, 628, 628, 628, 628, 630, 628, 628, 628, 628, 628, 636, 628, 628, 628, 628, 628, 628, 0, 0, 0, 1, 637, 1, 1, 1, 631, 1, 1, 1, 1, 1, 629, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 8, 642, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 8, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 8, 1, 1, 8, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 103, 68, 319, 345, 451, 580, 0, 4, 72, 274, 293, 321, 346, 372, 426, 453, 0, 542, 564, 581, 644, 11, 0, 64, 95, 437, 449, 469, 622, 0, 540, 563, 577, 659, 0, 34, 6, 0, 504, 543, 649, 607, 74, 0, 7, 324, 294, 427, 506, 456, 583, 86, 645, 0, 623, 348, 458, 508, 11, 112, 327, 549, 6, 34, 0, 350, 86, 429, 86, 526, 12, 6, 138, 287, 313, 0, 660, 553, 0, 610, 0, 67, 6, 6, 290, 102, 2, 472, 438, 450, 643, 0, 6, 0, 6, 325, 110, 6, 608, 544, 585, 0, 507, 428, 311, 326, 10, 75, 111, 646, 588, 430, 351, 338, 459, 153, 78, 329, 592, 554, 648, 611, 373, 368, 522, 6, 79, 156, 13, 314, 288, 567, 593, 612, 559, 597, 617, 658, 40, 6, 299, 333, 371, 343, 256, 34, 573, 600, 256, 45, 254, 304, 334, 344, 446, 463, 524, 312, 0, 77, 609, 0, 443, 457, 337, 86, 286, 86, 0, 627, 591, 547, 331, 461, 86, 431, 425, 0, 0, 0, 11, 602, 618, 255, 0, 464, 447, 576, 561, 620, 662, 92, 256, 46, 335, 435, 465, 616, 0, 555, 332, 315, 86, 253, 87, 31, 428, 34, 6, 433, 369, 342, 651, 639, 569, 596, 558, 0, 297, 88, 34, 445, 462, 0, 34, 466, 0, 257, 640, 562, 11, 448, 467, 256, 287, 93, 260, 641, 621, 604, 525, 468, 436, 289, 265, 94, 62, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 667, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 454, 0, 0, 0, 0, 0, 0, 0, 0, 89, 0, 136, 0, 0, 550, 595, 0, 0, 0, 0, 0, 0, 0, 30, 0, 598, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 454, 0, 0, 0, 0, 546, 0, 296, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 285, 0, 0, 0, 0, 0, 0, 0, 664, 0, 0, 0, 0, 0, 663, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 434, 0, 0, 0, 527, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 73, 0, 0, 0, 0, 0, 0, 538, 0, 0, 0, 0, 0, 0, 444, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 249, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 560, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 539, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 308, 320, 0, 0, 0, 0, 0, 575, 316, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 557, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 500, 0, 0, 0, 353, 0, 0, 0, 0, 81, 0, 292, 0, 0, 0, 0, 0, 0, 26, 0, 0, 0, 0, 615, 0, 0, 0, 0, 647, 566, 0, 0, 0, 0, 283, 0, 0, 0, 0, 0, 0, 502, 0, 0, 523, 0, 0, 0, 0, 0, 65, 0, 0, 0, 306, 61, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 82, 0, 0, 0, 0, 0, 0, 0, 285, 0, 0, 0, 0, 0, 318, 657, 0, 76, 0, 0, 0, 0, 0, 0, 0, 0, 0, 666, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 157, 0, 317, 0, 0, 0, 0, 0, 0, 614, 0, 0, 0, 0, 0, 0, 568, 0, 0, 0, 0, 0, 0, 0, 0, 0, 613, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 66, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 251, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 91, 0, 545, 0, 0, 0, 0, 0, 601, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 91, 90, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 529, 0, 528, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 298, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 501, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 328, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 582, 0, 0, 0, 0, 0, 0, 0, 0, 336, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 73, 275, 0, 0, 0, 0, 0, 0, 0, 0, 0, 91, 0, 653, 0, 0, 599, 0, 0, 0, 0, 0, 0, 0, 0, 0, 284, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 656, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 565, 0, 0, 0, 91, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 541, 0, 661, 0, 0, 471, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 442, 0, 0, 0, 590, 0, 100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 35, 0, 0, 0, 0, 0, 0, 33, 99, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 330, 0, 0, 0, 252, 0, 0, 0, 0, 0, 0, 605, 0, 0, 0, 0, 137, 0, 0, 0, 0, 0, 606, 0, 0, 0, 0, 0, 0, 0, 454, 460, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 439, 0, 352, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 309, 0, 0, 340, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 579, 0, 0, 0, 455, 0, 0, 441, 0, 0, 0, 0, 0, 0, 650, 0, 0, 0, 586, 0, 0, 97, 0, 587, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 552, 503, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 307, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 454, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 655, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 654, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 665, 0, 0, 0, 0, 0, 603, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 341, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 652, 0, 0, 250, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 670, 670, 670, 670, 670, 670, 670, 669, 671]);
    var labelText = "orgmilcomschnetedugovdrrformsfeedbackofficialaccoorgmilschnetgovmagazinemediaunioncargopilotgroupcaarespressworksaerodromeworkinggroupair-traffic-controlaircraftaccident-preventioneducatormarketplaceambulanceinsurancecateringairportrepbodyenginesoftwaremodellingair-surveillanceconsultingchartertrainermaintenanceservicesdesignflightskydivingfreightassociationstudentgroundhandlingdgcafuelclubtaxicrewshowballooningexpresstraderbrokerauthoragentsairtrafficjournalistsafetyconsultantmicrolightaccident-investigationparachutingequipmentproductionfederationrecreationscientistnavigationengineertradingglidingleasingresearchpassenger-associationentertainmentparaglidinghangglidingaerobaticrotorcraftemergencycertificationgovernmentaeroclubexchangelogisticschampionshiphomebuiltcouncilconferencecontrolairlinecivilaviationjournalorgcomnetedugovcoorgcomnomnetobj*appsofforgcomnetuwukiloappsairoappdevsframerorgmilcomnetedugovcoradio2naorgcomnetcommuneedogpbcoitgvorgedugovspreviewfrontendrelayononstagingauthcloudsandboxupid*mtls*privatelinktypedreamdeveloperbravemochawindsurfaivenmirenupsunwnextbegetngrokclerkwale2bwebcsbrunputercrbtsflutterflowcloudzyrospawnbasesliplanemodelenceshiptodaymagicpatternsnetlifyondigitaloceanrailwayhostedclaudehasurabotdashretoolvercelgithubluyanigadgetreplitcloudflaretelebitedgecomputeevervaultexponyatnoopencrpplxzeaburwasmerframerzeropsrocketpreviewconvexmedusajsspritesagilevibesonherculeseasypanelstreamlitglideossnowflakefastedgemesserliloginlinehackclubcodepennorthflankbase44corespeedleapcellngrok-freeblacktopsclerkstagelovableon-fleek*us-west-3ap-south-2us-central-2us-central-1eu-central-1ap-south-1us-west-2us-east-2eu-north-1ap-north-1us-west-1us-east-1*rcloudintsegorgmilcomgobbetnetintedugovturmusicasenasamutualcoopv6dnsip6uriurnin-addre164homeirisgovdixdaemoncloudnssthwien*inexexkunden4accogvormymyspreadshop4lima2ixortsinfofuturecmsfuturehosting12hpprivfuturemailinglima-cityfunkfeuer123webseitednshomemelmyspreadshopcloudletswasantqldvicactnswtascatholicwasaqldvictasidwasantozqldorgcomvicasnactnetedugovnswtasconfcomairflowlambda-urltransfer-webapptransfer-webappairflowtransfer-webapptransfer-webapp-fipstransfer-webappeu-west-3ap-south-2eu-south-2eu-central-2ap-southeast-3ap-southeast-4ap-northeast-3eu-central-1mx-central-1me-central-1ca-central-1il-central-1ap-northeast-1ap-southeast-1me-south-1af-south-1eu-south-1ap-south-1ap-southeast-7us-west-2eu-west-2ap-east-2us-east-2eu-north-1ap-southeast-2ap-northeast-2ap-southeast-5us-gov-west-1us-gov-east-1ap-southeast-6ca-west-1us-west-1eu-west-1us-east-1ap-east-1sa-east-1privatenotebookstudiolabelingnotebookstudionotebooknotebook-fipslabelingnotebookstudionotebook-fipsnotebookstudio-fipsnotebook-fipsnotebookstudionotebook-fipsnotebookstudioeu-west-3ap-south-2eu-south-2eu-central-2ap-southeast-3ap-southeast-4ap-northeast-3eu-central-1me-central-1ca-central-1il-central-1ap-northeast-1ap-southeast-1me-south-1af-south-1eu-south-1ap-south-1us-west-2eu-west-2us-east-2eu-north-1ap-southeast-2ap-northeast-2experimentsus-gov-west-1us-gov-east-1ca-west-1us-west-1eu-west-1us-east-1ap-east-1sa-east-1onrepostsagemakercopporgmilcompronetintedugovbiznameinfoshoprsorgmilcomnetedugovbrendlyresolvenzauscotvstoreorgcomnetedugovbizinfoidacaicoittvorgmilcomschnetedugovinfocloudezproxysiteacmymyspreadshopkuleuvenwebhostingtransurl123websitecloudnsinterhostsolutionsddns5476103298edgfacbmlonihkjutwvqpsryxzbarsycoororgcomedumyftpno-iporxcloud-ipfor-somemmafanfor-morewebhopselfipjozidyndnscloudnsdscloudfor-thefor-betteractivetrailcoeconorestooteorgcomeconeteduassurmoneyafricaarchitectesrestaurantloisirstourismavocatsinfoagrounivcoorgcomnetedugoviatvdeportesaludtksatorgmilcomwebgobnetinteducienciaboliviarevistacooperativaempresanombreindustriamusicapatriamedicinademocraciapoliticapuebloindigenaplurinacionalarteblogwikiinfoagrotransportenoticiasprofesionalacademiaeconomiaecologiamovimientotecnologianaturalpagesappsgroksailsimplesitecepesebamapadfmgalampbacscpirngorotomtrjspaprrprrsesmscepesebamapadfmgalampbacscpirngorotomtrjspaprrprrsesms*biaamfmtcmptvfeirasampajampanatalbelemananiradiog12medindfndbmdtrdthepoaggfjdfdefinfenflegsegongengcngorgzlgslglogppgmillelqslcimcomnomadmjabimbbibbsbabcrectecsjcetcpscpvhudieticriapipsiecnbiorioecogeoteoodoproatoartfstmatvetdetbetnetcntnotfotgrueduajuespappreptmpemparqsrvadvdevgovntrturagrjorfarjusmusdesvixxyzcozfozslzbhzmaringasantamariacampinagrandegoianiasorocabafloripasaobernardocuritibaboavistarecifeaparecidasaogoncasalvadorcuiabamorenamacapalondrinacontagemsocialfortalmaceioleilaoosascoriobranconiteroi9guacutcheblogflogvlogwikitaxicoopmanauspalmascaxiasjoinvillebaruericampinassantoandreribeiraoriopretoweorgcomnetedugovv0windsurfshiptodaycloudsitecoaccoorgnetgovofmilcomgovmediatechzacoorgcomnetedugsjgovmydnspenfnlabnbmbgcbcqconcontnuyksknsmyspreadshopno-ipawdevboxbarsyonidatemfuinabusavinstanceseceuguukussryzespawnpvfloccsxcloud-ipmyphotosfantasyleaguetwmailcleverappsscrappingccwucloudnsftpaccessgame-serverccgovobjectsrmalpgcust*svcalp1aeappenginermalpgmyspreadshop4lima2ixsquare7cloudscale123websitefirenet12hpflowgotdnslinkyard-cloudcloudnslima-citydnskingobjectstorageedaccogooruskzorgcomnetinteduxyzaéroportxn--aroport-byaassogouvcomilgobgovcloudnses-1eu-west-1us-east-1euvipit1eurarubait1s3lbwebsites3websiteru-spbru-mskelasticcsrunstnukukcaukusnl-ams-1fr-par-1fr-par-2functionsnodess3ddlwhmrdbfnck8sifrs3-websitecockpitscblmgdbdtwhkafkpubprivs3ddlwhmrdbk8sifrs3-websitecockpitscblmgdbdtwhkafks3ddlrdbk8sifrs3-websitecockpitscblmgdbdtwhkafkk8sscalebookpl-wawfr-parnl-amsbaremetalsmartlabelinginstancesdechk2kuleuvenlaravelvoorloperurownoxazapscwhstgrvaporonline-serverobservablehqelementorantagonistreclaimjoteluluencowayjelasticmatlabmagentositetrendhostingaxarnetjenv-arubajelejotehostravendbemergenttrafficplexconvexkeliwebserveboltbegetcdnstaticson-rancherprimetelonstackitunison-servicesdnshomelinkyardbarsyjelecloudnscocomnetgovmycn-northwest-1cn-north-1s3s3-accesspoints3-websites3s3-accesspointrdsdualstacks3-deprecatedemrappui-prods3-websiteemrstudio-prods3-object-lambdaemrnotebooks-prodexecute-apis3s3-accesspoints3s3-accesspointrdsdualstackemrappui-prods3-websiteemrstudio-prods3-object-lambdaemrnotebooks-prodexecute-apicn-northwest-1cn-north-1cn-northwest-1ebcomputeelbcn-north-1airflowcn-northwest-1cn-north-1oncn-northwest-1cn-north-1amazonawssagemakeramazonwebservicesdirectasgdsdhehahljlnmhbacscahqhshhihnlnynsnmofjbjzjxjtjhkcqtwgsjssxnxjxgxxzgz網絡网络公司orgmilcomnetedugovxn--55qx5dcanva-appsxn--io0a7iquickconnectcanvasitekhsjxn--od0algcanva-codemyqnapcloudsrvrlessclustersrealtimestorageleadpagescarrdcrdorgmilcomnomnetedugovhidnssupabaserdpareplmypiumsoxmitotaplpagesfirewalledreplitowodevwebview-assetsvfswebview-assetss3s3-accesspointdualstackemrappui-prods3-websiteaws-cloud9emrstudio-prods3-object-lambdaemrnotebooks-prodexecute-apicloud9eu-west-3ap-south-2eu-south-2eu-central-2ap-southeast-3ap-southeast-4ap-northeast-3eu-central-1me-central-1ca-central-1il-central-1ap-northeast-1ap-southeast-1me-south-1af-south-1eu-south-1ap-south-1ap-southeast-7us-west-2eu-west-2us-east-2eu-north-1ap-southeast-2ap-northeast-2ap-southeast-5ca-west-1us-west-1eu-west-1us-east-1ap-east-1sa-east-1s3s3-accesspointdualstackemrappui-prods3-websiteaws-cloud9emrstudio-prods3-object-lambdaemrnotebooks-prodexecute-apicloud9consent-portals3s3-accesspointdualstackanalytics-gatewayemrappui-prods3-websiteaws-cloud9emrstudio-prodbedrock-agentcores3-object-lambdaemrnotebooks-prodexecute-apicloud9s3s3-accesspointdualstackemrappui-prods3-websiteemrstudio-prodbedrock-agentcores3-object-lambdaemrnotebooks-prodexecute-apis3s3-accesspointdualstackemrappui-prods3-websiteemrstudio-prods3-object-lambdaemrnotebooks-prodexecute-apis3s3-accesspointdualstacks3-deprecateds3-websitebedrock-agentcores3-object-lambdaexecute-apibedrock-agentcores3s3-accesspoints3-websites3-accesspoint-fipss3-fipss3s3-accesspointdualstackemrappui-prods3-websites3-accesspoint-fipsaws-cloud9s3-fipsemrstudio-prodbedrock-agentcores3-object-lambdaemrnotebooks-prodexecute-apicloud9s3s3-accesspointdualstackemrappui-prods3-websites3-accesspoint-fipss3-fipsemrstudio-prods3-object-lambdaemrnotebooks-prodexecute-apis3s3-accesspointdualstackemrappui-prods3-websiteaws-cloud9emrstudio-prodbedrock-agentcores3-object-lambdaemrnotebooks-prodexecute-apicloud9s3s3-accesspointdualstackemrappui-prods3-websiteaws-cloud9emrstudio-prodbedrock-agentcores3-object-lambdaemrnotebooks-prodexecute-apicloud9s3s3-accesspointdualstacks3-deprecatedanalytics-gatewayemrappui-prods3-websiteaws-cloud9emrstudio-prodbedrock-agentcores3-object-lambdaemrnotebooks-prodexecute-apicloud9vfss3s3-accesspointdualstackemrappui-prods3-websiteaws-cloud9emrstudio-prods3-object-lambdaemrnotebooks-prodexecute-apicloud9eu-west-3ap-south-2eu-central-2ap-southeast-3ap-southeast-4ap-northeast-3eu-central-1mx-central-1me-central-1ca-central-1il-central-1ap-northeast-1us-northeast-1ap-southeast-1me-south-1af-south-1ap-south-1ap-southeast-7us-west-2eu-west-2ap-east-2us-east-2ap-southeast-2ap-northeast-2ap-southeast-5us-gov-west-1us-gov-east-1ap-southeast-6ca-west-1us-west-1eu-west-1us-east-1ap-east-1sa-east-1mrapaccesspoints3s3-accesspointdualstacks3-deprecatedanalytics-gatewayemrappui-prods3-websites3-accesspoint-fipsaws-cloud9s3-fipsemrstudio-prodbedrock-agentcores3-object-lambdaemrnotebooks-prodexecute-apicloud9s3s3-accesspointdualstacks3-deprecatedanalytics-gatewayemrappui-prods3-websites3-accesspoint-fipsaws-cloud9s3-fipsemrstudio-prodbedrock-agentcores3-object-lambdaemrnotebooks-prodexecute-apicloud9s3s3-accesspointdualstackemrappui-prods3-websites3-accesspoint-fipss3-fipsemrstudio-prodbedrock-agentcores3-object-lambdaemrnotebooks-prodexecute-apis3eu-west-3ap-south-2eu-south-2computes3-ap-northeast-2elbrdss3-ap-east-1s3-sa-east-1s3-us-gov-west-1s3-eu-central-1s3-ca-central-1eu-central-2ap-southeast-3ap-southeast-4ap-northeast-3s3-website-us-west-2s3-website-eu-west-1s3-external-1eu-central-1me-central-1ca-central-1il-central-1s3-us-west-1s3-eu-west-1s3-website-sa-east-1s3-website-ap-southeast-2ap-northeast-1ap-southeast-1s3-us-west-2s3-eu-west-2me-south-1af-south-1eu-south-1ap-south-1ap-southeast-7us-west-2eu-west-2us-east-2s3-website-ap-southeast-1s3-1s3-globals3-ap-northeast-3eu-north-1airflowap-southeast-2s3-us-gov-east-1s3-fips-us-gov-east-1s3-me-south-1s3-ap-south-1ap-northeast-2s3-website-us-west-1ap-southeast-5s3-eu-north-1s3-ap-southeast-1s3-website-us-gov-west-1compute-1s3-eu-west-3us-gov-west-1s3-website-ap-northeast-1us-gov-east-1s3-fips-us-gov-west-1s3-website-us-east-1s3-ap-southeast-2ca-west-1us-west-1eu-west-1us-east-1ap-east-1sa-east-1s3-us-east-2s3-ap-northeast-1authauthauth-fipsauth-fipseu-west-3ap-south-2eu-south-2eu-central-2ap-southeast-3ap-southeast-4ap-northeast-3eu-central-1mx-central-1me-central-1ca-central-1il-central-1ap-northeast-1ap-southeast-1me-south-1af-south-1eu-south-1ap-south-1ap-southeast-7us-west-2eu-west-2ap-east-2us-east-2eu-north-1ap-southeast-2ap-northeast-2ap-southeast-5us-gov-west-1us-gov-east-1ap-southeast-6ca-west-1us-west-1eu-west-1us-east-1ap-east-1sa-east-1eu-west-3eu-south-2ap-southeast-3eu-central-1ca-central-1ap-northeast-1ap-southeast-1ap-south-1us-west-2eu-west-2us-east-2eu-north-1ap-southeast-2ap-northeast-2ap-southeast-5eu-west-1us-east-1ap-east-1sa-east-1csrsites*sharedframeservicesbuilderstg-builderdev-builder*ociocpocsazuregcpawsdemoinstanceeu-west-3ap-south-2eu-south-2eu-central-2ap-southeast-3ap-southeast-4ap-northeast-3eu-central-1me-central-1ca-central-1il-central-1ap-northeast-1ap-southeast-1me-south-1af-south-1eu-south-1ap-south-1ap-southeast-7us-west-2eu-west-2us-east-2eu-north-1ap-southeast-2ap-northeast-2ap-southeast-5us-gov-west-1us-gov-east-1ap-southeast-6ca-west-1us-west-1eu-west-1us-east-1ap-east-1sa-east-1previeweu-4us-4us-1eu-1us-2eu-2us-3eu-3s3-websitekrkrobjectprivateobjectkrkrskrkrsobjectkrprivateobjectkr-privatecomputepaasrag-cloudrag-cloud-chjcloudjcloud-ver-jpcdemonodebalancermembersipeuxvsoncillaocelotonzayalilynxsphinxfentigercustomercaracalsgkrobjectstoragedesgkrusobjectkrkr-naverkr-naver-devkrprivatewebsiteobjectkr-naverkr-privatekr-naver-devjpjpkrjp4jp5s3-website-jpjpkrjp4jp5objectprivateobjecto365cloudstaticxendevapp001testcode-builder-stgplatformmediasiteprojedrydpagesstagingjsx0desazacncoitrueu4uhkukgrbrushatenadiarymyspreadshopfrom-flfrom-wvwebspace-hosttheworkpchatenablogcursorusercontentservesarcasmapplinzisakuratanwixsitefin-ncloudstoragegov-ncloudstorageappchizigiizeis-into-carsdnsiskinkyadobeaemcloudis-a-therapistpgfogmyvncdojinis-an-actress1kappfldrvkozowqa2jpnmexprgmrfirewall-gatewaydynnscafjsfbsbxooguyfrom-gawoltlab-demois-a-anarchistwiardwebteaches-yogadattowebtb-hostinglive-websiteservegamegotpantheonfrom-nhsubsc-payfrom-ohvipsinaappfrom-cadyndns-officeztna-dingtalkhomelinuxfrom-mahercules-appservebbsstreakusercontentfrom-okfrom-wyfastly-terrariumis-a-llamaqualyhqportalserveexchangeon-vaporvivenushopciscofreakgrayjayleaguesmetaaiusercontentfrom-iais-a-libertariansaves-the-whalestaveusercontentyolasiteoperaunitepoint2thisis-a-catererclaudeusercontentlinodeusercontentfrom-vagithubusercontentsells-for-lesshosteurcanva-appsplaystation-cloudddnsfreefrom-pafrom-prfrom-waddnskingoutsystemscloudhotelwithflightmydattois-a-nascarfanmydbserverminiserverdamnserverservehumouris-a-playerfrom-nvfrom-nmemergentagentgentappsamplifyappfrom-kyis-an-accountantnfshostserveircfrom-akpythonanywherestackhero-networkpostman-echolikescandydyndns-mailobservableusercontentserveftpfreeboxosfrom-utcdn77-storageamazonawsneat-urlnclouddyndns-serverlinodeis-a-teacherfrom-vtgleezemythic-beastsus1-pleniteu1-plenitla1-plenitpaywhirlservecounterstrikejdevcloudhealth-carereformis-into-animegoogleapisis-a-painterafricaisa-hockeynutatmetais-an-actora2hostedis-a-democratdatadetectest-le-patrondigitaloceanspacesonhomemadeis-a-designeris-a-hunterlinodeobjectstemp-dnsissmarterthanyoufrom-arsimplesiteevennodetownnews-stagingis-a-liberalgooglecodejelasticservemp3qualyhqpartnerdyndns-free1cooldnsest-a-la-masiondrayddnsdynuddnsfrom-orfrom-miis-a-bloggerfrom-himydobisscanvacodeis-an-engineerest-a-la-maisonupsunappdevinappswafflecellmyasustorwpenginepoweredfrom-ctservep2psame-appmyshopblocksthingdustdataaspirethemeslikes-piediscordsezis-with-thebandlpusercontentis-leetshopitsite3utilitiesis-a-personaltrainersinaappladeskis-a-cheflogoipselfipbase44-sandboxnospamproxyalibabacloudcsmesswithdnsauthgearappsiamallamawithgooglelutrausercontentmochausercontentframercanvasmytabitdyndns-homew-credentialless-staticblitzcpserverdiscordsaysis-a-nurseappspotatlassian-isolated-3premotewdfrom-mtwixstudiocode0emm180rmyactivedirectoryawsappsmytuleapdnsabrpolyspaceqbuserrenderbuiltwithdarkboutirgotdnsabrdnsdopaascanva-hosted-embedawsglobalacceleratorhomesecuritypcmyiphostditchyouripclever-clouddyndns-ipon-aptibleis-a-musicianhosted-by-filessecuritytacticsappspaceusercontenthomeunixstrapiappsame-previewcf-ipfsmycloudnaselasticbeanstalkis-certifieddontexistkasserverik-serverdrive-platformatlassian-3pfirebaseappncpstorageherokuappawsapprunnerbarsycenteris-a-cubicle-slaveservehttpmyshopifyis-a-guruquicksytessiiitesorsitesmagicpatternsappis-a-cpameteorappfrom-wiis-a-rockstarbumbleshrimpdattolocaldatabricksappsreadthedocs-hostedfrom-rifamilydsdyndns-picsmyoxypagesplesknsbplaceddnsaliasdynaliasdyndns-remotedoomdnsip-ddnsblogdnsis-a-doctorroutingthecloudamazoncognitobarsyonlinedsmynasddnsgurucloudflare-ipfsdeus-canvasfrom-idsmushcdnpagespeedmobilizergcorecdndyndns-at-homeunusualpersonhosted-by-previderis-a-republicandyn-o-saurstreamlitappworkisboringonthewificprapidqualifioappis-uberleetis-slickgetmyipwpdevcloudtypeformdyndns-at-workgentlentapismynascloudw-corp-staticblitzfrom-ingeekgalaxyservebeerfrom-mdonrenderspace-to-rentaivencloudappspacehostedwafaicloudcodespotblogspotatlassian-3p-us-gov-modfrom-ndfrom-msis-a-techieis-a-studentcustomer-ociis-a-photographerdurumisfrom-ksmassivegriddyndns-wikiis-an-entertaineris-a-hard-workermysecuritycameraprairielearn-user-contentfrom-mnrackmazedyndns-blogis-a-bulls-fanwritesthisblogfreemyipsimple-urlfrom-sdninjaneer-sitesreservdauthgear-stagingest-mon-blogueuris-into-gamesrice-labsxtooldevicesakurawebis-an-anarchistoraclecloudappsdyndns-worksells-for-urhcloudfrom-dcfastvps-serverwpmucdnis-a-geekscrysecfrom-txis-into-cartoonsmodelscapetrycloudflarelocaltonetstreak-linkbalena-devicesfrom-njforgeblocksfreebox-oswebadorsitefrom-ncdoesntexisthobby-sitestreaklinkshomesecuritymacshipstaticownprovidertuleap-partnersdattorelaywphostedmailservequakeis-a-socialistservehalflifepivohostingdynuhostingquipelementsw-staticblitzdyndns-webfrom-deproject-studyis-not-certifiedhercules-devis-a-financialadvisoramazonlightsailservepicsis-a-greenloseyouripfrom-ilwithyoutubemwcloudnonprodwiredbladehostingdnsdojofrom-tnpixolinomyqnapcloudncloudstorageis-an-artisthostedpiis-a-landscaperauiusercontentoaiusercontenton-forgeis-a-conservativedreamhostersnet-freaksapps-1and1is-goneencoreapiwordsmithmcpcontentfastly-edgefrom-nesalesforcefrom-scdeployagentoraclegovcloudappsfrom-alis-a-lawyercechirevultrobjectsstufftoreadisa-geekddnsgeeklovableprojecttry-snowplowfrom-moblogsyteis-a-bookkeepernogmyforumravendbmyboxdeelementoredsaacficogoorinforgcomgobnatneteduidstoreorgcomnetintedudevnomepublorgcomneteduathgovtestscalculatorspaynowinfoquizzesresearchedcloudnsfunnelsassessmentsjscaleforcetmacltdorgmilcompronetgovbizpresseklogesrsccloudcustomfltusrcloude4corealmgovmunicontentproxy9metacentrumdyndyndyndnsdynpagespages-researchitionoccustomercomymyspreadshopipv64diskussionsbereich4limacomrubgov2ixfirewall-gatewayddnssspdnsbarsykeymachinesquare7myhome-serverspeedpartnercommunity-proschuldockxenonconnectgünstigliefernbwcloud-os-instancedyndnssecmy-routerxn--gnstigliefern-wobin-butterl-o-g-i-nisteingeekin-dslin-berlinin-brbfuettertdasnetzleitungsenin-vpnlcube-serverdyn-ip24logoipdyn-berlinruhr-uni-bochum12hpgoipsrvdnsfruskygit-repossvn-reposinternet-dnsgünstigbestellenhome-webserverxn--gnstigbestellen-zvbbplacedheimdnscosidnswebspaceconfiglima-citydyndns1istmeinvirtualuserschulplattformmy-gatewayddnsseclebtimnetztest-iservmein-iservvirtual-userhome64iservschuletaifun-dnstraeumtgeradeschulserverdynamisches-dns123webseitednshomehs-heilbronndnsupdaterbssgraphicdwadpdwdaepeweaawapaafpfwfabwbpbacwcpcciwebuserapiobjectssites*teamst3r2lpuncldabymebravepanelngrokiservstglclcrmerpflypagesbarsyvivenushoplocalcertlocalplayerbearbloggatewaydeno-stagingis-not-ais-a-goodbotdashvercelmocha-sandboxplatter-appreplitgithubpreviewworkersinbrowserevervaultis-ahrsndenoxmitmodxmyaddrstorageapipayloadgrebedocruncontainersreliantlabsstgstagelclstageloginlineis-a-fullstackcodepenreliantpreviewngrok-freeis-coolpagelemonstoragewebharemediatechlibp2pdiscoursecomyspreadshopstoreregbiz123hjemmesidefirmcoorgcomnetedugovsldorgmilcomwebgobartnetedugovtmorgpolcomsocartnetedugovassoagrondiscoodontk12medcuegyecpaabgengorgmilgalsaltulcomadmesmgobpubdocmonfindgnriouioproartlatvetnetfotedulojgovntrturibrbarxxxofficialbasechefprofmktgpsictechinfoarqtcontdentrrpppsiqgit-pagesritmedfieorgcomlibprieduaipgovriikmeactvsportorgmilcomscieunnetedugovnameinfopintouchtawktotawkmyspreadshoporgcomnomgobedu123miwebcomputeorgcomnetedugovbiznameinfocognito-idptransfer-webappeusc-de-east-1onjelasticnxaspdnsbarsydirectwpdeuxfleurstransurldogadoprvwcloudnsamazonwebservicesdnshomeuserpartycokoobinmkmspaceviewfidymyspreadshopalandkapsiikixn--hkkinen-5wacloudplatformhäkkinen123kotisivuidacorgmilcompronetedugovbiznameinforadioorgcomneteduusercocomexperts-comptablestmmyspreadshopgretaprdcomnomynhccifbxoshuissier-justicenotairesaeroportfreeboxoson-webavocatassoportgouvkdnschirurgiens-dentistes-en-franceavouesfbx-os123sitewebveterinairechirurgiens-dentistespharmacienchambagrimedecinfreebox-osdediboxgoupilemszicpyicpvicppleysheezypagesedugovcnpyorgcomcybllcpvtnetedugovtnxonlineschoolddnsdaemond6atcopanelorgnetplybotdashstackitkaasorgmilcomnetedugovbizmodltdorgcomedugovcoorgcomneteduappwriteacorgcomnetedugovcloudtranslateusercontentorgcomnetedumobiassoorgcomnetedugovbarsysimplesiteindorgmilcomgobneteduorgcomwebnetedugovguaminfonxhra教育敎育網絡网絡组織組織网络網络组织組织公司政府個人个人箇人ltdorgcomincneteduidvgovxn--uc0ay4axn--55qx5dxn--mk0axixn--io0a7ixn--uc0atvxn--zf0avxxn--lcvr32dxn--od0algxn--wcvs22dxn--gmqw5axn--od0aq3bxn--mxtq1mxn--ciqpnxn--tn0agxn--gmq050iorgmilcomgobnetedufngocdnappvoatiiservwp2tempurlfreesitewpmudevmyfastgadgetcloudaccessjeleambahalfboltfastvpsemergenteasypanelopencraftizcombrendlynamefromrtpersoadultmedorgpolrelcomproartnetedufirminfoassoshopcoopgouvtmcomediahotelforumvideosportorgsexagrargameslakaseroticaerotikatozsdereklamcasino2000filmsuliinfoboltshopprivnewsszexcityutazasjogaszkonyveloingatlaneacaicogoormyᬩᬮᬶmilwebschnetkopbizzonedesaponpesxn--9tfkymyspreadshopgovmytabittabitorderravpageaccok12idforgnetgovmuniltdplcaccotttvorgcomnetmeca6g5gpgamubacaicniocoukuptverdruscsdelhiindorgmilcomwebnicfingenpronetintedugovresbizbiharbarsyinternetbusinessschooltravelsupabasealumnigujaratfirminfoaeropostbankcoopindevscloudnsno-ipbarsybarrell-of-knowledgebarrel-of-knowledgensupdategroks-thisdnsupdatefor-ourknowsitalldvrcammittwalddynamic-dnsv-infowebhopselfipdyndnshere-for-moreilovecollegemayfirstforumzcloudnsmittwaldservertypo3servergroks-theeusekd1cdndyndnsidrawsainaueuapjpusstagemocksysdevicesclientcustreservdcustdevdisrecprodtestingcowzbeebyteutwenteboxfusebravepstmndedynngrokorgmilcomnomnetedugovqcxqzzbarsythingdustmailerpagemo-siemensrb-hostingfh-muenstergitbookbluebitecloudbeesusercontentnodeartterramindkiloappsforgerockdarklangresinstagingapigeebubbleb-datascryptedhypernodedappnodepantheonsitegitlabgithubkeeneticvirtualservercleverappshostyhostingon-rioedugitticketstelebitwixstudioon-k3sicp0icp12038jeleqotolairbubbleappsmyaddrstolosmyrdbxwebflowdrive-platformbeagleboardhasura-applolipopdefinimavaporcloudmusicianwebflowtestazurecontainerresindevicereadthedocsloginlineeditorxmoonscalesandcatsbasicserversubscribepagewebthingsbrowsersafetymarkbeebyteappbitbucketidaccovistablogorgschnetgovxn--mgba3a4f16axn--mgba3a4fraarvanedgeايرانایرانjclaspeziapdudcefegelemeperetevebacanatavaparasabgagfgogrgpgalclblimfmrmcbmbvbfclcmcvcrcpcchlimifibicivipirisimncnbnanenrnpntnnolomobocoaogorosopotoptvtatctbtmtltotpusulunutpspapaqsvpvvvtvavvrtrsrprgrfrcrbrarorkrvstsssbscsmsispzczbzbozen-suedtirolmyspreadshopxn--bulsan-sdtirol-nsbxn--valledaoste-ebbtrentinoaltoadigetrentin-sued-tirolxn--forlcesena-c8axn--forl-cesena-fcbxn--bozen-sdtirol-2obtriestetrentinsuedtiroltrentino-s-tirollecceudineaostesienaparmaluccapaviagenoapaduaaostamonzaabruzzoternirietiturinmilanbozenlaziofermoleccocuneonuoropratola-speziavdataaligfvgpugmolcalcamlomumbsicpmnvenvaoedugovabrsarmaremrbastoslazibxosfirenzetrentinosüdtirolval-d-aostavalle-aostamessinacremonaravennatoscanatrentin-suedtirolbolognacalabriaurbinopesarofriuli-v-giuliaogliastraxn--valle-aoste-ebblaquilaandriatranibarlettasyncloudxn--valle-d-aoste-ehbaostavalleyvalled-aostatrentino-alto-adigevallee-d-aostexn--balsan-sdtirol-nsbpistoiasicilialucaniacataniaiserniaperugiabresciaveneziagorizialiguriaimperiabulsan-suedtirolbalsan-suedtirolbarlettatraniandriaxn--trentino-sdtirol-szbforlì-cesenatuscanyvallée-d-aostemantovavallée-aostecasertapiemontevalleaostaval-daostafriulivgiuliatrevisoforli-cesenavalléedaosteferrarapescaravald-aostatrentino-altoadigefriuli-vegiuliavallee-aostecarboniaiglesiastarantomediocampidanovalleedaostetrentinosud-tirolcampobassotrentinsüd-tiroltrentinosüd-tirolmonzabrianzatrentino-südtirolxn--trentino-sd-tirol-c3bpotenzacosenzavicenzaemiliaromagnavenicefrosinonemarchepordenonetrentinosued-tirolvaresemolisevalléeaostefriuli-veneziagiuliabasilicatalatinaanconasavonaveronamodenabiellabolzano-altoadigepugliafoggiaumbriatrentino-stirolgenovapadovamateranovararagusapiacenzatrentinostirolvalleeaostetempio-olbiasudsardegnatrentinsudtirolmassa-carrarafriuliveneziagiuliatrentinosuedtirolandria-barletta-tranitrapanixn--cesenaforl-i8amaceratacaltanissettaascoli-picenobrindisicarraramassacagliaririmininapolivibo-valentiachietibulsan-sudtirolbalsan-sudtiroltrentino-a-adigebulsanbalsaniglesiascarboniamilanotorinoteramodell-ogliastraarezzotrentinoalto-adigerovigotrentovenetoiglesias-carboniatrentino-sud-tirolaltoadigereggio-emiliareggio-calabriasardegnatranibarlettaandriapiedmontxn--sdtirol-n2amedio-campidanotrentino-süd-tirolfriuli-vgiuliafriuli-ve-giuliaromeennaromapisa32-b16-b64-blodiastibarineencomonaplesforlicesenailiadboxosalessandriasicilytrani-barletta-andriaxn--trentin-sdtirol-7vbpesarourbinotrentinsued-tirolcesena-forliforlìcesenaemilia-romagnamonzaebrianzaxn--trentinsdtirol-nsbtrentinos-tiroltrentinsüdtirolvalledaostaolbia-tempiocampidanomediovibovalentiasassarivalle-daostalombardysud-sardegnafriulivegiuliareggioemiliamonzaedellabrianzaalto-adigevercellitrentin-sudtiroltraniandriabarlettatrentino-sudtirolascolipicenobozen-südtirolfriulive-giuliaflorencexn--cesena-forl-mcbcarbonia-iglesiasaosta-valleycarrara-massadellogliastratrentinoa-adigexn--valleaoste-e7apesaro-urbinoxn--trentinosdtirol-7vbxn--trentin-sd-tirol-rzbxn--trentinsd-tirol-6vbtrani-andria-barlettatrentin-süd-tirolxn--trentinosd-tirol-rzbgrossetomonza-e-della-brianzasüdtirolreggiocalabriatrentinoaadigetrentin-südtirolverbano-cusio-ossolafriuliv-giuliaverbaniacampaniatrentino-aadigefriulivenezia-giuliasardiniaandriabarlettatranibarletta-trani-andriacatanzarooristanourbino-pesarocesena-forlìvalle-d-aostacampidano-medio123homepagesiracusatempioolbiasuedtirollombardiaavellinocesenaforlìtrentinofriuli-venezia-giuliabozen-sudtirolandria-trani-barlettabulsan-südtirolbalsan-südtirolmonza-brianzabolzanotrentino-sued-tirolbellunosalernolivornocrotonesondriodnshometrentinsud-tirolmassacarraratrentin-sud-tiroltrentino-suedtirolviterbobergamocesenaforliolbiatempiopalermobeneventoagrigentoofcoorgnetfmaitvphdengorgmilcomschnetedugovperagrikanieasukehandachitatokaiaisaikonanoharuamaobuhigashiuraowariasahiinuyamatobishimaiwakurashitarainazawatoyonegamagorimihamatoyotataharakariyayatomioguchikomakimiyoshinishiotokonamekiyosuchiryutoyohashiokazakiisshikikasugaikotakiratoeianjotogofusosetohazutsushimashinshirotakahamanisshinshikatsuhekinantoyokawaichinomiyatoyoakeodateogataakitaikawakyowahonjoogayurihonjonoshirokamiokakatagamimitanegojomeyokotekosakadaisenkazunonikahohonjyomoriyoshimisatohappoukamikoanihachirogatahigashinarusesembokufujisatokitaakitaitayanagiowanitakkomutsutsurutahirosakigonoheoirasetowadamisawanohejiaomorishingohiranairokunohehashikamitsugarushichinohehachinohenakadomarisannohekuroishisakaeisumiasahiotakiinzaiabikomatsudoyachiyomutsuzawakujukuriomigawakashiwatoganemihamanaritasakuranagaramobarahanamigawachoshishiroichoseikozakishisuikatorimidorichonankyonanfuttsuonjukufunabashinagareyamanodasosatakochuotohnoshourayasukimitsuyokaichibayotsukaidosodegauratateyamakamagayayokoshibahikariyachimatakatsuuratomisatokisarazukamogawaichikawanarashinoichinomiyashimofusaminamibososhirakoichiharaoamishirasatoikatahonaiainansaijoseiyoiyoozuuwajimaniihamanamikatamasakiuchikokihokutobetoonshikokuchuomatsuyamaimabarikamijimakumakogenyawatahamamatsunosabaeikedaobamasakaifukuiohionotsurugamihamawakasaminamiechizeneiheijikatsuyamatakahamaechizensoedaukihaomutaokawanishiogoribuzenonojosueumiokiotochikugosasagurisaigawamizumakishinyoshitomikurumekurateyamadakasuganakamamiyamanogatatakatahakataiizukakawaratagawakasuyaashiyainatsukimunakataminamitsuikishonaikurogifukuchikeisenhigashimiyakoshinguyukuhashiokagakiyamekogaongausuikahotohochuotoyotsumiyawakadazaifuhisayamatachiaraiyanagawanakagawahirokawachikujochikushinochikuhochikuzennamieotamaokumashowateneiiwakikoorinangoononishigoshimogoomotegomishimafukushimaasakawakagamiishishirakawaiitatefutabahiratayugawahanawakitakatakawamatakunimiyabukibandaihigashihironoyamatomiharuyamatsuriaizubangedatesomaaizuwakamatsuyanaizuaizumisatonishiaizuizumizakikitashiobarataishinkaneyamakoriyamainawashirotanagurafurudonosamegawasukagawaishikawatamakawaikedaogakitaruiginanenahashimahichisonakatsugawaibigawashirakawamizunamiminokamomitakekawauesekigaharatomikasakahogikitagatayamagatatajimianpachimotosuyaotsukakamigaharahidakanisekitokigujominogodoyorogifukasamatsutakayamawanouchihigashishirakawakasaharashimonitatsumagoichiyodakannakanrashowameiwakiryuotaoratomiokafujiokaitakuranaganoharahigashiagatsumatakasakishibukawaminakamikatashinatsukiyonokawabanumataannakaoizumimidorishintoisesakiuenoyoshiokakusatsutakayamanakanojonanmokutamamuratatebayashimaebashiotakekaitadaiwahongofuchukuietajimashobaramiharahatsukaichihigashihiroshimamiyoshikumanokurenakasakaseraseranishiasaminamifukuyamashinichionomichiosakikamijimajinsekikogentakeharaotobenanaeikedatohmaozoraobiraabirakyowaeniwataikibibaisharirebunerimohiroooketootarupippunishiokoppechitosefurubirahakodateshiranukakitahiroshimakushiroobihironanporoiwamizawaniikappukunneppufukushimanakasatsunaitoyourakuromatsunaiakabirakamisunagawashibechaurakawakamifuranonakatombetsuasahikawashimokawakayabeokoppebiratoriabashirisaromaatsumanumatahidakabifukamukawamikasahorokanaitoyotomisarufutsuhigashikawaishikarikitamiyoichiesashiiwanaitomariminamifuranoakkeshifuranotoyakoyakumootoineppushikaoishiraoinemuronayorohaboroashorobihororishirifujiutashinaihokutotakasuebetsuurausuassabukikonaishimamakinaiedatetoyabieinikiesanuryuoumuteshikagarikubetsuashibetsukimobetsuaibetsutobetsusobetsuembetsushimizuchippubetsurishirihokuryuhoronobeshintokutsubetsushibetsuhonbetsumombetsutsukigatakuriyamakoshimizushiriuchikutchanmurorannoboribetsukamishihorowassamushinshinotsukembuchiwakkanaikamoenaikiyosatotakinoueshikabesunagawafukagawanakagawatakikawakamikawahigashikagurahamatonbetsumatsumaemoseushirankoshishakotanimakanemashikeotofuketomakomaisandatambaitamiawajikasaiasagoshisoonoakoyashirotoyookaminamiawajiinagawafukusakitakasagokamigorikasugaharimayokawaashiyahimejiakashitaishiaogakisannantakinosumototakarazukanishinomiyashingugoshikinishiwakiyokatakaaioimikisayoyabukawanishiamagasakisasayamashinonsenkakogawaichikawakamikawatatsunotsukubaiwamaogawaasahisakaitokaioaraiitakobandodaigosuifuinaamikasumigaurakashimaomitamayachiyoshimodatetomobetoridehitachinakainashikisakuragawakasamayawaramoriyahitachiomiyanamegatayamagatahitachikamisuushikutakahagiibarakitonekoganakasowayukimihojosomitoryugasakishimotsumafujishirotsuchiurachikuseihitachiotashirosatotamatsukuriuchiharashikahakuinanaotsubatawajimakahokukawakitatsurugikaganominotosuzuuchinadakomatsuanamizunakanotohakusannonoichikanazawaiwateshiwafudaikawaimoriokaofunatohanamakikuzumakikitakamininohekunoheyamadayahabasumitaichinosekitanohatahiraizumirikuzentakatajobojiotsuchihironomiyakoiwaizumikarumaiichinohenodakujitonooshushizukuishifujisawamizusawakamaishikanegasakimannoutazukotohiraayagawazentsujihigashikagawauchinomikanonjisanukimarugamemitoyotakamatsutadotsunaoshimatonoshoakuneamamiizumihiokiyusuikinkoisasookouyamanakatanekagoshimakanoyaisenkawanabeminamitanemakurazakitarumizunishinoomotematsumotosatsumasendaioimatsudaayaseebinamiurazushinakaiodawaraiseharasagamiharahakoneaikawakaiseiatsugitsukuihadanoyamatoyamakitazamaoisochigasakininomiyayokosukakamakuraminamiashigarafujisawasamukawakiyokawahiratsukayugawaraokawaumajikochitsunootoyoakiinonishitosayasudahidakamiharasakawaniyodogawahigashitsunokagamigeiseisusakiotsukinaharisukumomurototosakamiochitoyotosashimizumotoyamanankokunakamurakitagawayusuharaogunichoyoukiasoutoozugyokutoamakusamifunetakamoriyamagaminamataminamiogunikikuchisumotoyamatonagasumashikiaraokumamotokamiamakusanishiharayatsushiroayabeseikasakyoideineujinakagyokameokakyotangokyotanabekyotambaminamiyamashiroyamashinatanabeyawatawazukaminaminantanmiyazuhigashiyamafukuchiyamakitamukokamojoyokizumaizuruujitawaraoyamazakinagaokakyokumiyamakawagoeinabeshimameiwaasahitaikiudonoisetsukisosakikuwanamihamamiyamasuzukatamakimisuginabarikumanokomonominamiisewataraitobakiwatakikihotadomatsusakayokkaichikameyamaureshinoishinomakishichikashukuohirataiwaosakizaohigashimatsushimashikamaiwanumashibataogawaraonagawakawasakiseminemarumoriminamisanrikukakudamuratawakuyatomiyanatoriwataritagajomisatotomekamirifushiroishimatsushimayamamotoshiogamafurukawahyugaebinotsunosaitoayakushimanobeokakitauramiyazakitakazakigokaseshiibamimatashintomikunitomikitakatakobayashikawaminamitakaharukijotakanabemiyakonojonishimeranichinankitagawakadogawamorotsukakisofukushimaminamimakisakaeobuseikedaogawamiasaokayaasahiotakiotarichinoinaomichikumakomaganechikuhokukaruizawayasuokaooshikaikusakaminamiaikitogakushimatsukawakawakamitateshinatakamorikitaaikishiojirimiyadahakubaiizunaiijimaiiyamamiyotasuzakayasakatoguraookuwanagawaminowahirayayamagataminamiminowafujimiomachisakakitakaginaganonakanosakuhokomoronagisoshinanomachiwadauedaiidaharasuwatomiachiaokianankisosakunozawaonsenagematsutakayamashimosuwamatsumotoyamanouchinakagawamochizukiazuminotatsunoobamaomuraseihiunzenosetofutsuikichijiwanagasakiisahayahasamisaikaikawatanasasebohiradokuchinotsugototogitsutsushimashimabarashinkamigotomatsuurayamazoekashibaikomakawaitenrioyodosangokoryoudaojiikarugayamatokoriyamatenkawakatsuragikurotakikawakamimiyakemitsuetakatorikamikitayamayamatotakadahegurishinjokanmakisakuraitawaramotogoseoudanarasoniandokawanishishimoichihigashiyoshinokashiharashimokitayamanosegawayoshinomintsivorytopazsakuragehirnsumomoaseinetopalmail-boxmokurenyoitamuikaojiyagosensanjoaganomyokoseiroagaomishibataniigatanagaokamurakamiuonumayuzawakariwatagamitainaitsunanminamiuonumatochioyahikojoetsuseiroukamosadoizumozakitokamachiitoigawasekikawakashiwazakitsubamemitsukekokonoesaikiusukibeppuusahimeshimakunisakihasamataketatsukumihitaoitahijikusuyufukujukamitsuebungoonobungotakadaibaraniimibizentsuyamaokayamakasaokahayashimayakagemaniwaakaiwamisakishinjotamanotakahashikibichuowakesojanagishookumenannishiawakurakurashikiasakuchisetouchikagaminosatoshotomigusukunakagusukuyaeseizenaurumaiheyaaguniogiminanjokinminamidaitokitanakagusukuyonaguniokinawaishigakikunigamiurasoekadenataramahiraraginozataketomishimojizamamitonakiitomanhigashimotobuyonabarugushikamionnanahanagohaebarukumejimakitadaitonakijinnishiharayomitanginowantokashikiishikawaikedasuitaminohizuminishisakaikananabenodaitoosakasayamayaokishiwadatadaokakaizukatondabayashichihayaakasakakumatorikadomasayamahigashiosakashijonawatehirakatataishimisakitajirihannansennankatanotoyonominatosettsuhigashiyodogawaibarakinosekitachuohigashisumiyoshifujiiderakashiwaraizumiotsutoyonakamatsubaramoriguchiizumisanoshimamototakatsukineyagawahabikinotakaishikawachinaganoyoshinogarikamiminearitaouchiimarihizenogikashimaariakekiyamafukudomikitagatakitahataomachigenkaikanzakinishiaritakyuragisagataratosutakushiroishikaratsuhamatamakouhokukawagoeyoshidasatteogoseirumaasakaurawaogawaniizaomiyayoriiotakishikihonjooganohannohanyuinasaitamaokegawaarakawayoshikawayokozehasudasayamahidakafukayachichibuiwatsukiryokamiyoshimikamiizumifujimiwarabiranzanmiyoshiminanoyashiosakadosugitomisatohigashichichibutodasokakukiyonokazoshiraokakasukabekounosukawajimatsurugashimamiyashirokitamotohatoyamamoroyamahatogayakumagayakawaguchinagatorokamisatomatsubushinamegawatokigawakamikawafujiminohigashimatsuyamakoshigayatokorozawas3isk01isk02ryuohkoseikonanaishorittotakashimamaibarahikonetorahimenishiazaikokagamokotoyasuotsukusatsunagahamamoriyamatoyosatotakatsukinotogawaomihachimanhigashiomiakagiunnanizumogotsuamayatsukakakinokimatsuehamadamasudahikawahikimiokuizumoyasugiyakumomisatotamayuohdahigashiizumookinoshimanishinoshimatsuwanoshimaneshimadafujiedayoshidashimodagotembaiwataatamikosaiyaizuitoizumishimahaibaramakinoharaomaezakikawanehonkannamisusonohigashiizufukuroinumazukawazufujiaraishizuokahamamatsushimizuizunokunimatsuzakimorimachiminamiizunishiizukikugawakakegawafujikawafujinomiyaujiietsugaoyamayaitaohiranikkoashikagakuroisokanumasakurashioyakarasuyamamotegiichikaikaminokawatochigihagamokanogisanobatonasumibunasushiobaranishikatautsunomiyaiwafunemashikoshimotsukeohtawaratakanezawaitanokomatsushimatokushimaichibaminamiaizumiwajikikainanmiyoshinarutomimamugiananmatsushigesanagochishishikuinakagawamachidachiyodakomaefussainagitaitochofufuchuomeotahigashiyamatotoshimaokutamaaogashimakodairaedogawaarakawahachiojishinagawatachikawashibuyasuginamihinodekiyosesumidaoshimanerimamitakahamuraadachinakanomizuhobunkyomegurominatokoganeihigashikurumekokubunjihigashimurayamamusashimurayamatamakitahinochuokotokatsushikakouzushimaogasawaraakishimakunitachishinjukusetagayamusashinohachijoitabashiakirunohinoharachizunanbukotouramisasawakasayonagokogehinoyazutottorinichinansakaiminatokawaharaoyabetairainamiasahinantoimizufuchutakaokakurobeyamadajohanatoyamatonaminyuzenfunahashinakaniikawanamerikawaunazukitogahimiuozufukumitsutateyamakamiichiiwadearidayuasainamitaijikatsuragiaridagawatanabemihamahidakakainankiminomisatoshingushirahamakamitondayurakozakoyagobokitayamawakayamakudoyamahashimotokushimotokozagawahirogawakinokawanachikatsuurarsuseroeoishidasagaeoguniasahinagaitendonanyoobanazawanishikawasakataohkuratozawamikawamamurogawayamagatafunagatatakahatashonaishinjokahokuiideyuzakawanishitsuruokakaminoyamayamanobeshiratakamurayamanakayamakaneyamahigashineyonezawasakegawamitouubeyuuabushimonosekitabuseoshimatoyotaiwakunihikarishunannagatohagihofukudamatsutokuyamashowadoshitsurunanbukoshukaiminami-alpsnirasakikosugeotsukioshinohokutominobuyamanashifuefukichuokofuichikawamisatoyamanakakonakamichitabayamanishikatsuranarusawafujikawahayakawafujiyoshidafujikawaguchikouenohara長野京都岐阜大阪三重群馬千葉滋賀佐賀奈良adednelgaccogogror秋田愛知高知埼玉沖縄栃木熊本岩手青森山梨新潟島根鳥取長崎香川宮城石川大分宮崎茨城山口兵庫山形徳島広島福島福岡岡山富山静岡愛媛福井東京xn--4it168dhatenadiaryxn--vgu402ckawaiishophatenablogcocottenamaste北海道penneehimeiwateversestabachibashigagonnagunmapermahaccaakitaosakauh-ohblushkochiaichifukuikuroncapooitigohyogotokyokyotopunyuthickcheap0t00g00j0mie2-ddaapyawjg0amfemsubxiiboomoobutchueekpgwrgrherskrboyrdyupperunderflierchipsmydnsheavyangryhippygirlyrulez神奈川鹿児島和歌山bambinaxn--nit225kokayamasaitamaxn--k7yn95exn--1lqs03nsapporoparasitelolipopmcxn--efvn9sniigatafukuokatokushimafukushimahiroshimakagoshimafakefurokinawaxn--8pvr4ucoolblogxn--0trq7p7nnkawasakinagasakimiyazakichilloutxn--8ltr62kxn--klty5xpeeweezombiecutegirlxn--rny31hxn--uuwu58axn--ntso0iqx3axn--djrs72d6uytoyamanikitanyantakagawamimozanagoyaboyfriendxn--2m4a15egreaterchowderegoismyamagatafashionstorexn--elqq16hxn--pssu33lsendaimiyagixn--rht27zpecoriaomorisaloonwatsonvivianxn--djty4knobushipigboatnaganopinokoxn--f6qx53asadistvelvetsecretxn--5js045dchicappayamanashiibarakidigickgirlfriendxn--1lqs71dmongolianxn--c3s14mxn--qqqt11mtochigixn--5rtq34kparallelo0o0mondkobesagabonadecaoitanarafoolkilldecimainhiholomosblokilociaoundopupugifutankcrapflopnooroopsmodsholyjeezstripperpepperbittershizuokaxn--rht3dkitakyushureadymadeicurusversusmatrixxn--rht61ehungryfloppygloomycrankyhandcraftedlittlestarxn--klt787dxn--kltx9awhitesnowsunnydaytottorilovepoptheshopbuyshopxn--5rtp49cxn--d5qv7z876cwebaccelxn--kbrq7oxn--4pvxsxn--1ctwolovesickkumamotocatfoodxn--tor131oyokohamawakayamatonkotsuxn--ehqz56nxn--uist22hxn--6btw5axn--kltp7dyamaguchifrenchkisspussycatxn--4it797kxn--uisz3gbabybluexn--zbx025dnetgamersxn--7t0a264ckanagawaxn--6orx2rishikawaxn--ntsq17ghalfmoonschoolbusjellybeanxn--mkru45iusercontentlolitapunkxn--32vp30hsakurastoragehokkaidoshimanecandypopbabymilksupersaleweblikeraindropbackdropwebsozaikikirarahateblodaynightmeneacsccogoormobiinfoaefjusxxorgmilcomnetedugovorgcomnetedugovbizinfotmprdorgmilcomnomedugovassnotairespresseassocoopgouvveterinairemedecinpharmaciensorgnetedugovtraorgcomedurepgovipdiskmeneperekgacscaiiocogoitoresmshsseoulbusanulsandaeguc01milvkimmvchungnamjeonnamjeonbukeliv-dnsgyeonggijejueliv-cdnincheondaejeongangwongyeongbukgwangjuchungbukgyeongnameliv-apicoeduindorgcomembnetedugovorgmilcomnetedugovjcloudorgcomnetintedugovperbnrinfocooyorgcomnetedugovethipfscanvamypepethw3sstorachafaablekeeneticjoinmcinbrowserdwebcyonnftstoragemyfritzaemewphlxachotelltdorgcomwebsocschngonetintedugrpgovassnomgacsccoorgnetedugovbizinfo123websiteidorgmilcomasnnetedugovconfidmedorgcomplcschnetedugovaccoorgnetgovpresstmassoirseproxaccosoundcasthoptocraftvp4c66orgnetedugovitsxwxmcdirmyboxbarsyedgestacksynologylogintoopencloudnohostwebhopdiskstationi234tcp4hoocgroknoipprivmydsddnsdnsforlohmustransipdscloudfilegear-sgbrasiliafilegearframerbarsybarsyonlinecoprdorgmilcomnomedugovinforgcomnetedugovnameacprorgcomartnetedugovpresseinfoassoinstgouvorgnycedugovbarsydscloudjuorgcomnetedugovminisiteaccoororgcomnetgovorgmilcompronetintedugovbizmuseumnameinfoaerocoopaccoorgcomnetintedugovbizcooporgcomgobneteduorgmilcomnetedugovbiznameaccoorgmilneteduadvgovcoorgcomnetaltgovforgotherhiskeeneticispmanagernomassoprod5476132eastasiacentraluswesteuropewestus2eastus2pnortheurope-01newzealandnorth-01southindia-01southcentralus2-01norwaywest-01eastus2-01westus2-01australiaeast-01italynorth-01israelnorthwest-01swedencentral-01westeurope-01centraluseuap-01taiwannorthwest-01uaecentral-01northcentralusstage-01israelcentral-01mexicocentral-01canadacentral-01austriaeast-01germanywestcentral-01francecentral-01ukwest-01denmarkeast-01polandcentral-01eastus-01westus-01swedensouth-01eastus3-01westus3-01brazilsouth-01centralus-01francesouth-01australiacentral-01westindia-01uaenorth-01jioindiacentral-01canadaeast-01belgiumcentral-01spaincentral-01koreacentral-01chilecentral-01qatarcentral-01westcentralus-01eastus2euap-01norwayeast-01southafricanorth-01brazilsoutheast-01germanynorth-01switzerlandnorth-01switzerlandwest-01japanwest-01southafricawest-01japaneast-01eastasia-01indiasouthcentral-01taiwannorth-01centralindia-01uksouth-01southcentralus-01northcentralus-01eastasiastage-01indonesiacentral-01australiacentral2-01australiasoutheast-01malaysiawest-01koreasouth-01southeastasia-01southeastus5-01northeastus5-01jioindiawest-01rucdnwest1-usfra1-desandboxjls-sto1jls-sto3jls-sto2aglobalabglobalsslmapprodfreetlsmapvpslon-1lon-2ny-1fr-1sg-1ny-2paassnwebpaashostingjelasticnordeste-idcsocuserpagescwebfileblobservicebuscoreatlricnjsjelasticwebsitestoragesezagbinruhuukjptsmyspreadshopmynetnameakamaiorigin-stagingfrom-coipv64dynv6cdn77serveblogadobeaemcloudhicamsprytdnsupno-ipownipde5ovhicpfirewall-gatewaysytesmypsxbarsyusgovcloudapimyamazemyradwebakamaihdsaveincloudfastlylbfrom-lasubsc-paysquare7in-the-bandblackbaudcdnhomelinuxoninfernoctfcloudservebbsdns-dynamiccloudfrontakamai-stagingipifonyham-radio-opsenseeringclickrisingcommunity-profrom-nylocalcertgrafana-devedgesuite-stagingcloudflareanycasteating-organicatlassian-devmydattofeste-iplocaltotorprojectknx-serveredgekeycloudflareglobalcloudyclustercasacamserveftpakamaized-stagingakamaiorigindns-cloudmyeffectboomlabotdashbuyshousestwmailhetemlazure-mobilein-dslthruhereredirectmedynuddnsbouncemesupabaseluyanicloudappakamaicloudfunctionsdebiannhlfanpgafanstatic-accessin-vpnmysynologymafeloappudohomeftptrafficmanagersiteleafseidatmemsetcloudflarecloudaccesskeyword-onazure-apiis-a-chefdoes-itgets-itwebhopselfiphomeipkicks-assedgesuitewindowsserver-ontunnelmolemydissentscrapper-sitecloudflarecnuni5srcfggffiobbzabchrsndenodynuopikddnsvpndnsakadnselastxkinghostvps-hostfastlyhomeunixazureedgeshopselectdontexistmyfritzcloudjiffyalwaysdatasells-itsquaresbroke-itazurefddattolocalat-band-campmeinforumfamilydsazurestaticappsdefinimabplaceddnsaliasdynaliasnow-dnsblogdnsroutingthecloudendofinternetdsmynasakamaiedgemymediapcadobeio-staticakamaiedge-stagingakamaihd-stagingddns-ipprivatizehealthinsurancelive-onkrellianschokokeksmassivegridmysecuritycamerarackmazeserveminecraftfrom-azis-a-geekakamaizedmoonscaleoffice-on-theusgovtrafficmanageradobeioruntimeedgekey-stagingreserve-onlinechannelsdvrdnsdojousgovcloudappcdn77-sslapps-1and1podzoneazurewebsitesdynathomescaleforceyandexcloudvusercontentisa-geekcdn-edgescoaemalcesappwriteazimuthtlonarvobuiltwithrocketnoticeablestorecomwebrecnetperotherfirminfoartslgdloncogoiltdorgmilcolcomplcschgenngonetedugovbiznamefirmmobiacincoorgmilcomnomwebgobnetintedubizinfocomyspreadshopdemongovtransurl123websitehosting-clusterkhplaycistrongsnesosvalervålerxn--vler-qoaossandeheroysandeherøybøboheroyherøyxn--hery-iraxn--b-5gavalerbøboxn--b-5gasandesandexn--hery-iraxn--vler-qoavålerhåreålaahavaofsfvfhlolnlalrlhmfmtmahcostntbuåstrmreigersundmyspreadshopgálsáeidsvolltingvollgildeskalflorøvadsøvardøvanylvenxn--bhccavuotna-k7astrandaxn--kvnangen-k0axn--sknland-fxaxn--mosjen-eyarakkestadhyllestadnannestadvevelstadvaapstenordre-landsondre-landsøndre-landtjieltexn--vrggt-xqadsør-aurdalsor-aurdalheradstordmoldefordeførdeseljefedjeryggehemnexn--krehamn-dxasognegranesøgnebrynetjomevallebykletokkegiskedovretjømehobølvoldasaudatolgasømnaviknadønnasomnadonnatranafrananesnaraumasmolatrænafrænalesjasmølaørstaorstahitrafloraaukraloppafrøyarissasnasahalsagalsaromsaraisaráisafroyasnåsagronghobolfjelltydalårdalardalaskimharamkraanghkekråanghkesorumbarumhurumbærumsørummodumsálátbálátfrognbjugnvåganvagangulenskienløtenlotenstrynvefsnxn--merker-kuaskaunsveiobømlobomloskjåkvardoflorovadsosalatbalatsálatklæbuklabuselbubarduulvikskjakklepprisørxn--nttery-byaeflåeidflahofmilgolholsellomskifetvikdepvgsfhsaskerrisorhamarasnesåsnesrørosrorosxn--slat-5namasoynaroyvaroyluroydyroyaskoyradoyandoyrodoymeloyradøyandøyrødøymeløyaskøylurøydyrøymåsøyværøynærøyhoylandethøylandetdivtasvuodnalørenskoglorenskognesoddtangenxn--tjme-hraxn--smla-hraxn--stjrdal-s1aunjargalillehammerunjárgaxn--hamary-fyadavvenjargaxn--bearalvhki-y4a123hjemmesidegjerdrumxn--brnnysund-m8acxn--tnsberg-q1axn--mlatvuopmi-s4axn--snsa-roaxn--skierv-utaxn--brum-voatysfjordkvafjordeidfjordkvæfjordsongdalenmjondalenmjøndalenxn--gls-elackragerogáŋgaviikagangaviikasørreisasorreisasør-varangersor-varangerxn--risr-iraskiervaxn--frna-woaxn--trna-woakvinesdalleksvikleirvikrøyrvikroyrviksvelvikvenneslaevje-og-hornnessandnessjøenmarnardalvindafjordsandefjordenebakksnillfjordullensvangxn--trany-yuabrønnøysundnamsskoganaustevollxn--stjrdalshalsen-sqbnord-aurdalnord-frontrøgstadtrogstadgrimstadflakstadgjerstadxn--sandy-yuaxn--leagaviika-52bnore-og-uvdalvegarsheixn--rlingen-mxaxn--ggaviika-8ya47hvegårsheikarlsoykvitsoymasfjordenhamaroyinderoyosteroydavvenjárgasauheradguovdageaidnuxn--vre-eiker-k8abronnoysiellakkrødsheradkrodsheradkvinnheradbrønnøyxn--mtta-vrjjat-k7afxn--lrenskog-54akvitsøyvárggátkarlsøyosterøyinderøyhamarøybronnoysundxn--aurskog-hland-jnbbahccavuotnabáhccavuotnagiehtavuoatnastor-elvdalmidtre-gauldalxn--gildeskl-g0akarasjokevenassixn--bievt-0qaxn--yer-znalebesbynessebyxn--hbmer-xqamalselvmålselvxn--unjrga-rtamøre-og-romsdalmore-og-romsdalhareidmelandørlandorlandstrandålgårdsolundalgardafjordåfjorddielddanuorrikautokeinoxn--stre-toten-zcbskodjeaejriestangeliernebamblestokkefauskesnåasesnaasekongsvingerlangevagberlevagxn--flor-jrahattfjelldalostre-totenøstre-totenvestfoldxn--mely-iraálaheadjualaheadjunordreisaxn--troms-zuaxn--lgrd-poacporsangerflatangerstavangerleikangerbremangersamnangergieldakarasjohkaxn--rdy-0nabfrostautsirasnoasatromsaxn--sr-aurdal-l8aflekkefjordjølsterjolsteraremarkhedmarknååmesjevuemienaamesjevuemiexn--vard-jrarollagmeråkermerakerorskogørskogxn--bdddj-mrabdákŋoluoktaxn--osyro-wuaaknoluoktatrysilskjervøymandaljondalbindalrindalmeldalsuldalorkdalsigdalalvdallærdalhurdalsirdalverdallerdallardaloppdalåseralaseralhadselkragerødivttasvuotnaoverhallasteinkjerxn--hnefoss-q1askedsmokorsettromsøxn--dyry-iravestre-totenmuseumxn--sandnessjen-ogbrahkkeravjufylkesbiblbájddarbajddarxn--laheadju-7yarennesøyxn--koluokta-7ya57hxn--hgebostad-g3aleirfjordstorfjordbalsfjordbåtsfjordbatsfjordmuosátbievátloabátkárášjohkanøtterøyxn--mjndalen-64anordkappláhppilahppialstahaugsiljanverranrøykenroykenhaldenlyngenbergenhortenhønefosshonefosstroandinbeiarnvarggatosoyroosøyrotromsoidrettmuosatbievatruovatloabatvoagattynsetnessetxn--indery-fyaskánitskanitraholtråholtxn--ystre-slidre-ujbandebusarpsborgbearduxn--karlsy-fyahordalandjorpelandjørpelanddeatnuringsakersør-odalsor-odalxn--slt-elabringerikeaudnedalnittedalnissedalhemsedalslattumsurnadalxn--blt-elabelverumstjørdalnaustdalhjartdalgjøvikfyresdalhasviknarviklarvikgjovikmalvikgamviklenvikporsgrunnstjordalengerdaldrobakdrøbakxn--msy-ula0hvestvagoyxn--vgan-qoaxn--ryken-vuaxn--lten-graxn--stfold-9xaxn--hpmir-xqaxn--lury-iramálatvuopmimalatvuopmitysværkirkenesbirkenesmoskenesbáidárxn--fjord-lraxn--rdal-poabahcavuotnabáhcavuotnaxn--frde-gralindåsbearalvahkixn--hobl-iraráhkkerávjuxn--loabt-0qavågåáltábodøsundlundraderådeetnetimeholeauregrueoddavagavegaranatanaarnasolasulaaltalekafusavangbergkvamåmliamlibokntinnroangranosenoslobodorøstroststatåmotamotivguprivøyeroyerliermossvossxn--nvuotna-hwalusterlunnermarkerhábmerhabmerhvalerfjalerxn--rholt-mratysvarbaidarfitjargaularhápmirhapmirmelhusfosnesøksnesoksnestysneshemnesevenesflesbergeidsbergtonsbergtønsberglindasxn--sndre-land-0cbnamsosxn--srum-graøystre-slidreoystre-slidrevestre-slidretrondheimbalestrandxn--langevg-jxaaustrheimxn--skjk-soavagsoyaveroysandoykarmoyfinnoytranoyvestbytranbysykkylvenxn--hyanger-q1aspjelkavikandasuoloxn--fl-ziaxn--drbak-wuastathellexn--sr-varanger-ggbtelemarkxn--bhcavuotna-s4axn--porsgu-sta26fčáhcesuolocahcesuoloakrehamnåkrehamnsandøykarmøyfinnøytranøyvågsøyaverøynamdalseidxn--lesund-huabadaddjaxn--vegrshei-c0axn--btsfjord-9zagildeskålporsanguxn--trgstad-r1anávuotnanavuotnahammerfestxn--sgne-graxn--brnny-wuacibestadharstadnarviikaevenáššivestnesgjemnessandnesagdenesrennesoyxn--avery-yuaxn--tysvr-vrabearalváhkikongsbergspydebergrandabergxn--andy-iradavvesiidaxn--krdsherad-m8aporsáŋgufredrikstadbjerkreimringeburennebuaurskog-holandnotteroyxn--vgsy-qoa0jxn--rmskog-byaskierváivelandbyglandfrolandaurlandforsandxn--bjddar-ptamidsundålesundalesundfetsundfarsundovre-eikerøvre-eikerakershusxn--moreke-juasørfoldøstfoldostfoldsorfoldhøyangerhoyangerlevangerorkangertanangerxn--vestvgy-ixa6olillesandulsteinxn--rennesy-v1agranvinskjervoyxn--klbu-woalavagisxn--h-2faxn--ryrvik-byakafjordkåfjordseljordfolkebiblxn--gjvik-wuajevnakerxn--kfjord-iuabudejjuxn--kranghke-b0axn--davvenjrga-y4axn--rland-uuaxn--ldingen-q1axn--mlselv-iuaxn--rady-iraxn--linds-prabrumunddalxn--ygarden-p1amo-i-ranaeidskogrømskogromskoghjelmelandxn--finny-yuaxn--sr-odal-q1axn--skjervy-v1aballangenkvanangenkvænangengratangenxn--hmmrfeasta-s4acvossevangensuohkanxn--rde-ulaxn--mli-tlaxn--ksnes-uuanordlandskanlandskånlandsortlandfuoiskuxn--rros-graxn--hcesuolo-7ya35bxn--eveni-0qa01gagaivuotnagáivuotnaxn--seral-lradrammenmodalenmosjoenjan-mayentorskensteigengloppenxn--snes-poamatta-varjjatxn--sr-fron-q1aomasvuotnajessheimbådåddjåxn--krager-gyaxn--kvfjord-nxaxn--asky-iraxn--snase-nraxn--bidr-5nacholtålenxn--vads-jraxn--jlster-byamosjøenxn--rst-0nastavernxn--ostery-fyaxn--oppegrd-ixaxn--sknit-yqaxn--risa-5naoppegårdskiptvetrendalenholtalenxn--mot-tlaxn--lhppi-xqaxn--holtlen-hxaxn--srreisa-q1akopervikxn--muost-0qaxn--bmlo-grahokksundkvalsundegersundxn--karmy-yuaullensakerxn--hylandet-54axn--kvitsy-fyaxn--bod-2nalangevågberlevågkristiansandxn--rsta-frahornindalstjørdalshalsenstjordalshalsensandnessjoenhámmárfeastaxn--lrdal-srasør-fronsor-fronnord-odalkristiansundmátta-várjjatvestvågøynesoddennotoddenbuskerudøygardenoygardensalangenlavangenralingenrælingenlodingenlødingenleaŋgaviikalaakesvuemieleangaviikauenorgexn--srfold-byaaskvollxn--rskog-uuaxn--nry-yla5gxn--vry-yla5ghammarfeastaxn--rhkkervju-01afxn--givuotna-8yakommunekrokstadelvanedre-eikerhagebostadhægebostadxn--berlevg-jxakviteseidxn--s-1faxn--l-1faxn--nmesjevuemie-tcbafuosskomoårekemoarekexn--lt-liacxn--jrpeland-54asvalbardoppegardholmestrandtvedestrandsogndalsokndalarendalsunndalfolldalxn--krjohka-hwab49jlyngdaletnedalnorddalsaltdalgausdalskedsmovaksdalgjesdalstordalxn--frya-hraaarbortedrangedalxn--smna-graaurskog-hølandxn--vg-yiabtjeldsundhaugesundlindesnesxn--mre-og-romsdal-qqbxn--dnna-gradyntmpheremerseineshacknetenterprisecloudmineaccomaorimāoriorgmilcriiwigennetschoolhealthkiwigovtgeekxn--mori-qsacloudnsparliamentcomedorgcompronetedugovmuseumwebsitekinservicebarsywebsitebuildereerobookheimdnseero-stagetechcrscsslorigingohomecdbedeeeiemesecabgngilnlalplchfisiincnnoroptatitmtltruauhulumkdkukskjplvtrgrfrkrhrusesismycynzcznetinteduassoososcloudstgbetaaezaeuhkusjswzhatenadiarycdn77hoptozaptois-a-knightmyftpno-ipjpnddnssdpdnsspdnsbarsysweetpepperis-a-bruinsfanis-very-sweetservegameis-a-soxfanhomelinuxcdn77-secureservebbsmisconfusedwebredirectblogsitefreedesktopcouchpotatofriestoolforgeaccesscamis-lostreadmyblogsmall-webfedorapeopleserveftpis-a-celticsfaniptimemywirepotagertwmailin-dslsellsyourhomeread-booksfreeddnscable-modemis-savednflfanufcfanmlbfanstuff-4-saleendoftheinternetin-vpnmy-firewallhomeftpis-localis-a-chefboldlygoingnowherewebhopselfipkicks-assroxatunkcamdvrfedoraprojectgotdnsdvrdnsdyndnspubtlspimientahomeunixdontexistfedorainfracloudwmflabsfspagesbmoattachmentsteckidsfamilydsdnsaliasdynaliasnow-dnscloudnsdoomdnsduckdnsblogdnshomednsroutingthecloudendofinternetdsmynasip-dynamicpoivronhttpbinmyfirewallis-very-evilmysecuritycamerais-a-linux-userwmcloudis-a-geektuxfamilyis-a-candidatedoesntexistis-very-badhobby-sitegame-hostaltervistais-foundis-a-patsfandnsdojohepforgepodzonedynservcollegefanis-very-goodfrom-meis-very-niceisa-geeknerdpolacmedsldingorgcomnomgobabonetedugintapleskaemhlxmyboxrockyprvcydeuxfleurssolidresvibekitprodomgspdnscodebergheyflowstatichostlinkyhostmymagicblacktopsorgmilcomnomgobneteduorgcomeduiorgmilcomngonetedugovcloudns1337ngrokacorggogfamcomwebgobnetedugokgopgkpgovgosbizpasaugumicsopozpapuwmwsrprusiskwpspkppspkmpspokeoiawsawifoumsdnskokwpmuppuppsppiwwiwoowuzswkzoschrzpisdnwzmiuwwitdpssewsseumigugimoirmpinbwinbwiihupporzgwgriwupowwskrwioswuozstarostwokonsulattmpccopruszkowmyspreadshopostrodakartuzyopolegminamediaustkazgorajgoraolawailawalomzawloclradombytomjaworznotargilubinkoninzagantorunkutnokepnonakloczestsopotsanokturekplockslasksklepzarowlukowmedaidgdaorgmilrelcomnomatmgsmartneteduelkgovwawsossexbiztgorysejnytychypomorzeboleslawiechomesklepsdscloudunicloudzakopanelegnicarawa-mazbydgoszczswidnikkrasnikwloclawekbielawamragowograjeworealestatebeskidykaszubymalopolskaprzeworskswiebodzinlecznadfirmaszkolawarmiagdyniamiastakazimierz-dolnymalborkswidnicadlugolekaostrolekapodlasieelblagtravelsimplesitezachpomormielecszczecinnieruchomosciwalbrzychlezajsklublinbedzinpoznanwielunmielnooleckostarachowicedkontopowiatwroclawrybniksuwalkileborkslupskgdanskostrowwlkptarnobrzegtourismwegrowkrakowglogowyou2pilanysamailwrocinfoagroautobeepshoppriviqhslapypiszlodzcfolksecommerce-shopmazurypulawyskoczowrzeszowpomorskiezgierzkaliszolkuszlowiczostrowiecsosnowiecmazowszewodzislawbialowiezazgorzeleckatowicepabianicejelenia-gorawolominkarpaczsieradznowarudaczeladzkonskowolaskierniewiceswinoujscieturystykabieszczadycieszynketrzynolsztynbialystokbabia-goraprochowicewarszawastalowa-wolapolkowicegorlicegliwiceponiatowalimanowalubartowaugustowkobierzyceopocznognieznoszczytnokolobrzegshoparenapodhalebielskoklodzkostargardcoshipatwithplayitownnamecoorgnetedugovacorgcomproestnetedugovbiznameislaprofinfoprodrechtngrokmedaaaacacpaenglawjurbarenterbarsykeeneticavocatacctcloudnsorgcomsecplonetedugov123paginaweborgcomnetintedugovnomepublidkinbarsygovx443cloudnsorgmilcomnetedugovcooporgmilcomschnetedugovnamecomcannetlibassoaemclantmcontstoreorgcomnomrecwwwbarsyfirminfoshopartsv6stackitmyddnswebspacelima-cityacincooxorgedugovbarsybrendlyhbvpsvpsspectrumlandinghostingacppmordoviamcprecbgorgmilcomspbnetintedumsknovgovbirrasmcdirmytismircloudvladimirnalchikadygeyamarinepyatigorskmyjinobashkiriaeurodirvladikavkazna4ugroznykustanaikalmykiacldmaildagestaniransmbuildcloudcanvaliaravalrwxwixdevelopmentappwritemigrationneedleverceldatabasestackitcodereplravendbsanityonporterlovableaccoorgmilnetgovcoopmedorgcompubschnetedugovservicemecomygovorggovtvmedorgcomnetedugovinfoedgfacbmlonihkutwpsryxzbdtmacfhppmyspreadshopbrandpartiorgcomfhvpress123minsidaitcouldbeworlanbibkommunalforbundfhskiopsyskomvuxkomforbnaturbruksgymnloginlineorgcomnetedugovenscaledeuusentsurgebotdaorgmilcomnetgovnowteleporthashbangbearlyplatformlovablebarsyshopwarebasehoplixbarsyonlinemsf5gitpagewawamscofigma-govgreybullcaffeinefigmacanvaceerosoltstscwputernippybarsysupportchatgptsquareomniweopensocialcpanelplaycodenotionnovecorewpsquaredpreviewjelecyonbyensrhtklivfastvpspieboxconvexmedusajsjouwwebheyflowplatformshdocsflowyloginlinemadethissourcecraftclouderaorgorgcomartedugouvunivmeorgcomnetedugovsurveysstatichfheiyumanusxs4allprojectmyfastubervibehostapp-ionosdeployagentmecoorgcomschnetedugovbizcncostoreorgmilcomneteduembaixadaconsuladokiraranohoprincipesaotomeheliohobarsystorebaseshopwaresellfyaisanityabkhaziavologdamordoviapenzalenugsochinavoiexnetspbmsknovnorth-kazakhstanashgabadkareliaarmeniageorgiavladimirnalchikivanovobukharaadygeyakhakassiakalugakrasnodarjambylaktyubinsktroitskbryanskobninskkurganazerbaijanpokrovskbashkiriatselinogradvladikavkazmurmansktulatuvamangyshlaktashkentchimkentgroznykaragandatermezarkhangelskkustanaikalmykiabalashoveast-kazakhstankaracoldagestantogliattibarsyredorgcomgobedumirenaccoorgjelasticdiscoursecleverappsschacmiincogoornetonlineshopcogoorgmilcomwebnicnetintedugovbiznametestcoorgmilcomnomnetedugovorangecloudpersoindorgcomfinnatnetgovensmincomtourismintlinfox0611orgmilcomnetedugovquickconnectvpnplusnettprequalifymeaddrmyaddrntdllwadlnctvavdrk12orgmilpolbeltelcomwebgennetedutskkepgovbbsbiznameinfocoorgmilcompronetedugovbiznameinfobetter-thanworse-thansakurafromdyndnson-the-webmymailerorgmilurlcomneteduidvgovmydnsgameclubebizmeneacsccogotvorhotelmilmobiinfovodteiflgplkmsmsbcckhincndnvncoztltmkckppzpdprvcvkvlvcrkrkscxuzchernovtsyrivneyaltaodesavolynrovnolutskltdinforgcomnetedugovbizvinnicazhitomirternopilpoltavakropyvnytskyizaporizhzhiasevastopolsebastopoluzhgoroduzhhorodkharkovkharkivvinnytsiakhmelnytskyizaporizhzhecrimeaodessazhytomyrnikolaevcherkassydonetskluganskluhanskkirovogradivano-frankivskchernivtsikrymkievkyivlvivsumyzakarpattiamykolaivcherkasychernigovkhersonchernihivdnipropetrovskdnepropetrovskkhmelnitskiyneacsccogoorusorgmilcomedugovmyspreadshopno-ipbarsybarsyonlinelayershiftnh-servretrosnubapicampaignservicelugaffinitylotteryweeklylotteryraffleentrygluglugsmeaccoindependent-inquestnimsitecopropymntltdorgplcschnetgovnhsbarsyindependent-commissionindependent-reviewpolicepublic-inquiryindependent-panelconnhospindependent-inquiryroyal-commissionoraclegovcloudappscck12libaws-govccphxcclibpvtparochchtrcck12libcceatonk12coglibtecgendstmusann-arborwashtenawcck12glghcck12sealibforksolympiabainbridge-islkeyporthoquiamyarrow-pointcentraliaport-townsendsequimport-ludlowrentonsilverdalebremertonredmondsheltonbellevueport-orchardport-angeleskingstonchehalisaberdeengig-harborseattlepoulsboidmdndsddemenegacalamaiavawapailalflnmdcncscohnhmihiviwiriinmntnmocoutvtctmtgunjokakwvnvprarorasmskstxwynykyazisadninsnngosrvis-byservernamepointtoenscaledland-4-salefreeddnsstuff-4-saleazure-apinoipdatabricksappscloudnsgolffanheliohostazurewebsitesgvorgmilcomgubneteducoorgcomnetd0egvorgmilcomnetedugovmydnsiacostoree12orgmilcomnomwebgobbibrectecnetintedugovraremprendefirminfoartseducok12orgcomnethidnsadidacaionioapsonlahanamhanoicamauhueorgcompronetintedugovbizbacninhtayninhhoabinhnamdinhtravinhhaiphongvinhlonghaiduongquangnamquangtrithuathienhuequangninhbacgianghaugiangquangbinhsoctrangbentrethanhphohochiminhdanangkontumhatinhkhanhhoathanhhoahealthgialailaocaiyenbaibackanngheanlonganphuyenphuthocanthodaklakdongnainameinfovinhphucdongthapkiengiangtiengiangquangngailaichaulangsonlamdongdaknonghagiangangiangcaobangbinhduongninhthuanbinhthuanbaclieuthaibinhninhbinhbinhdinhtuyenquanghungyenbaria-vungtauthainguyendienbienbinhphuocschbizputerorgcomnetedugovcloud66advisormypetsdyndnsxn--8dbq2axn--4dbgdty6cxn--5dbhl8dxn--hebda8bxn--80auxn--d1atxn--c1avgxn--o1acxn--o1achxn--90azhxn--55qx5dxn--uc0atvxn--od0algxn--wcvs22dxn--gmqw5axn--mxtq1mxn--12c1fe0brxn--h3cuzk1dixn--12co0c3b4evaxn--12cfi8ixb8lxn--o3cyx2axn--m3ch0j3axn--j1adpxn--90amcxn--90a1afxn--h1ahnxn--j1ael8bxn--h1alizxn--c1avgxn--j1aefxn--80aaa0cvacxn--41acaffeineexeopentunnelbotdashtelebitorgtmaccoagricorgmilnomwebnicngonetaltedugovlawnisschoolgrondaraccoorgmilcomschnetedugovbizinfoprg1-zeropstritonstackitlimazeropsaccoorgmilgovяспборгкоммскбизмирсамаракрымсочиакодпроргобрупрצהלממשלישובאקדמיהองค์กรธุรกิจรัฐบาลศึกษาทหารเน็ต教育網絡組織公司政府個人닷넷한국澳门新闻澳門联通家電嘉里招聘通販닷컴삼성コムგეбгрфеюadcdbdgdidmdsdtdaebedeeegeiejekemenepereseveyegabacalamanauavapaqasazacfbfafgfnfpfwftfbgcgagggegkgngmgsgpgvgtgugilmlnlalclglplsltlhmimjmkmmmomambmcmdmfmgmzmpmsmtmgbbblbsbecccacnclcmcvctcscmhkhghchbhthphshlinikifigiaibicivisikninhnmncnbngnsnpnvntnjoionomobocoaofodorosotoptstttytatbtetgtithtmtltrusuvuaucueuguhulumunufjdjbjtjsjlkmkhkfkdkcktkukskpkgpmpnpkpjpgqaqmqiqsvtvcvbvmvlvrwpwtwzwbwcwawgwkwmwtrsrprgrfrercrbrarnrmrlrkrirhrwsusrssspsgsesbsaslsmsissxmxaxcxuypysylymykygybycyuztzsznzmzkzdzczbzazελευ世界台灣购物公益点看臺灣网络書籍在线网站手机机构大拿游戏信息台湾谷歌慈善商标香港中国餐厅网址中國商城食品微博政务移动集团公司八卦商店健康网店政府时尚佛山中信娱乐广东企业homedepotengineeringاماراتrepublicankuokgroupversicherungchannelcitadelxn--pgbs0dhxn--b4w605ferdstatebankwebsitexn--mgb9awbf亚马逊淡马锡alibabaxn--ngbc5azdxn--mgbbh1axn--45br5cyltoshibabuildworldcloudtradeguideplacespacedancemoviephoneprimesmilebiblestyleappleazurestoreskypegripexn--l1accdrivelottehorsehouseleasechasereisestadahondaomegaaetnaamicaninjanokiamediadeltavodkaedekaosakapizzaslingemailgmailtirolshelltmallfinallegaltotalhotelamfamforumrehabmusicciticricohcoachwatchboschearthfaithirishmiamiarchidubaiguccipraxiみんなストアセールcanonsalononionnikonepsonkoelngreensevencrownikanoradioaudioweiboglobopromogalloyahoociscorodeovideomangobingotokyovolvolottokyotophotosmartsportquesttrusthyattjetztadultcymrubaidutushuxn--kprw13dubankclickblackmerckgroupsharpcheapnowtvxn--h2brj9cקוםհայоргсрбмонкомбелмкдқазрусукрمصرقطرعربكومdadcfdmedwedredphdthdbidpidkrdmsdltdiceonewmeglemoerwecfageacbanbambaaaammakianraspacpaaxawtfbcgaegongingaigvigorgdogdhlmilrilonlaolloluoljllcalgalnflafltelsrlfrllplkimibmcamcombommomifmabbjcbscbwebcabnabtabmlbpubabcbbcnecincpncllcstcwtcpwcnyckfhbzhovhmoiskiobisbitcifyituipinvinwinxincbnbcnmanfangdnmenrenkpnmtnyunrunfununobiojioriohbogmofooboooooacoecoceongoproartistottnttbbtcateatlatvetpetbetnethktmitfitintjothotgotdotbotprueduicujnjyouinknhktdkappsapgapmapdnptopgopllpjmpzipvipripesqtrvdtvitvdevmovgovhivnrwlawsewnewbmwwownowhowdvrftrmtrsfrbarcartvscrseusawsupsubssbsadsddsldssasbmsmlsxxxboxfoxgmxtjxsextaxbuyflydiysoyjoyskypaydaygayxyzanzbizwebersenerpokerlameractortatarsolarລາວคอมไทยtourslocusnexuslexusgiftsbeatsboatspartspressglassswissकॉमनेटtiresgivescodeshomesgamestunesshoescardswalesloansvegastoolsdealsautosparisファッションworkssucksrocksxeroxforexfedexpartylillymoneystudyrugbytoraytoday中文网xn--unup4y天主教飞利浦新加坡enterprises我爱你嘉里大酒店christmasxn--fct429kholdingsxn--8y0a063axn--mgbx4cd0ablifestyleabogadoallstatenetbankكاثوليكxn--s9brj9cxn--gk3at1ebestbuycharityxn--55qx5dmicrosoftpropertybasketballhomegoodscorsicajewelrygallerygrocerysurgerycountrybrusselsverisignferreroxn--czr694bhdfcbankcommbanksoftbankپاكستانپاکستانnextdirectالسعوديهالعليانxn--h2brj9c8cxn--80adxhksshikshaxn--mgbai9azgqp6jcuisinellabarclayscatholicxn--kpry57dcompanyxn--xhq521bblackfridayxn--mgba3a3ejtsandvikxn--d1acj3bacademydownloadمليسياxn--j1amhxn--w4r85el8fhu5dnraipirangaathletaxn--fhbeixn--mgbqly7cvafrzuerichxn--c2br7gஇலங்கைcontractorsxn--io0a7igraphicsinsurancetemasekxn--xkc2al3hye2amotorcyclesphotographydirectoryplumbingxn--vhquvclothingtrainingcleaningwilliamhilllightingxn--mgba3a4f16ashoppingcateringeducationokinawapicturesventuresproductionsxn--9et52uwalmartഭാരതംsupportrealestatecapitalonexn--nqv7fs00emaauspostfloristdentistxn--qxamgodaddybradescobargainsmitsubishikerryhotelsxn--9dbq2axn--3pxu8kimmobilienxn--fjq720axn--mgbtx2bholidaymckinseymadridbusinessbuildersxn--4gbrimмоскваالسعودیةcoffeedegreelacaixapartnersalsaceofficeabbvievoyageorangegeorgeonlinechromemobilekindlegoogleoraclecircleschulesecureinsurexn--mgba7c0bbn0aestatexn--mgbc0a9azcgcruisehangoutxn--vuq861bxn--42c2d9arexrothfirestoneuniversityxn--nnx388alifeinsuranceextraspaceонлайнvermögensberatersoftwarexn--fiqs8sxn--mgbab2bdxn--w4rs40ltiendaभारतम्africatoyotaotsukasakuracameracreditcardnagoyaconsultingnetworktheatermonsterprogressivepioneerxn--55qw42gracingdatingvotingvikinglivinggivingxn--bck1b9a5dre4cbrotherweatherjoburgفلسطينlplfinancialxn--clchc0ea0b2g2a9gcdfutbolschoolsocialglobaldentalwoodsidechanelairtelmatteltravelrealtorwebcamstreamభారత్unicomalstomxn--nodexn--6frz82gmuseumfurniturexn--rvc1e0am3exn--mix891faccenturexn--11b4c3dismailineustardiscountquebeccomsecclinicservicesxn--y9a3aqxn--c1avgswatchchurchsearchالاردنmarketingcontacthealthmonashshoujisanofitaipeiamericanexpresssuzukiアマゾンクラウドポイントbhartiグーグルxn--mgberp4a5d4armemorialxn--1qqw23alondonmormoninstitutevisionbostonnortoncouponmaisonamazonvirginberlindesigndurbanolayannissananquanhitachikaufengardenreisenbayerntechnologydatsunxn--90a3aclatinocasinostudiophysioxn--ngbe9e0apharmacytattootaobaoaramcoexpertreportabbottdirectselectimamatfairwindspictettargetmarketintuittravelersinsurancecreditdupontryukyusuppliesxn--tckwebnpparibasschmidtmerckmsdyodobashirestaurantbridgestonecricketxn--fpcrj9c3dbostikbroadwayattorneylefrakemerckxn--fiq228c5hscareersfarmerswinnersflowersxn--wgbh1cguitarsxn--54b7fta0ccxn--p1acfmakeupgalluplandroverxn--kcrx77d1x4agoldpointbauhausxn--mgbayh7gpahiphopplaystationxn--mgba3a4fraxn--eckvdtc9dhyundaixn--gckr3f0fistanbulticketsmarketsflightschintaireviewsxn--3e0b707ewindowsxn--fiqz9sfinancialxn--fzys8d69uvgmابوظبيdiscoverreviewবাংলাxn--5su34j936bgsgmoscowobserverapartmentsдетиارامكوсайтeurovisionxn--i1b6b1a6a2exn--xkc2dl3a5ee0hتونسموقعبارتڀارتشبكةعمانبيتكعراقreadkredbondlandbandfundfoodprodgoldfordtubecafesafelifeggeeieeefreefagepagegugezonewinememenamegamesaleablebikenikelikecarecbreherefiresaveloveliveblueartedatesitevotecaseluxebofamodaltdaasdatiaayogasinavanashiaasiajavabbvatevavivadatazaraarpacasavisasncfprofmaifsurfgolfdvagsongbingpingwangkpmggoogblogpohlfailcooldellcalldeallidlsarlfilmteamroomfarmimdbarabclubhdfcicbchsbcgmbhrichtechfishdishcashminiernikddiaudiwikimobitaxicitikiwidesiqponskinloanakdnwienopenporncerntownimmolimoolloinfonicofidolegosaxozeroaerovivoautovotomotofastbestresthostpostnextlgbtchatseatgiftmeetdietreitmintrentgentspotscotguruitausohumenucyoubanklinkpinkdclktalksilkbookseekworkrsvpaarpjeepshopcoophelpcamppccwshowbeerstarruhrflirweirhaircarsparsjprshausplusnewstipstoysjobskidsfanspicsdocsxboxamexsexynavycitysonyarmyallybabyplaydeliverybuzzgbizlamborghiniphilipsලංකාಭಾರತfitnessexpresslanxesspfizercenterwalterlawyersoccercareerkosherbrokerlockerdealerdoctorauthorxn--mgbqly7c0a67fbcvermögensberatungjaguarxn--pssy2uxn--hxt814eflickrrepairrogersairbusxn--mgbai9a5eva00beventsyachtsxn--t60b56aভাৰতভারতभारतभारोतviajeshermeshughesxn--j1aefसंगठनvillasଭାରତclaimshotelsભારતzapposphotosjuegoscondostatamotorsgratistennisਭਾਰਤtkmaxxtjmaxxschaeffleryandexxn--80aswgrealtysafetybeautyluxuryxn--3ds443gsupplyfamilyxn--o3cw4hhockeysydneyxn--90aenissayalipayenergycomputeragencyxn--rovu88b電訊盈科xn--gecrj9cstatefarmaccountantaquarelleolayangroup香格里拉xn--p1ai组织机构xn--1ck2e1bxn--mgbt3dhdschwarzموريتانياabudhabinowruzkomatsufujitsuhospitalxn--80asehdbxn--mgbtf8flxn--j6w193gxn--yfro4i67oprudentialxn--flw351ecruisescoursesrecipesxn--e1a4cferrarixn--ses554gxn--wgbl6awatchesstaplessinglesxn--mgbcpq6gpa1axn--otu796dpropertiescreditunionxn--mgbah1a3hjkrdstockholmhisamitsuالسعوديةstcgroupdomainsoriginscouponsbloombergclubmedfroganslimitedxn--80aqecdr1aexposedinternationalequipmentbarclaycardxn--q7ce6axn--mgbi4ecexpprotectionassociatesconstructionxn--cck2b3bxn--45q11candroidfoundationישראלxn--mgbca7dzdocliniqueboutiqueengineerxn--qxa6asystemsfirmdalefashionauctionxn--nqv7finfinitirentalsreliancetradingweddingfishinghostinggentingbookingcookingxn--3hcrj9cgraingerxn--czrs0tdemocratsamsungyokohamaxn--h2breg3evexn--nyqy26alundbeckmelbournevacationssolutionsfrontierxn--vermgensberatung-pwbmanagementxn--cg4bkixn--mgb2ddeslincolnhamburgsandvikcoromantblockbusterairforcebarefootxn--4dbrk0ceinvestmentsfeedbackcommunityxn--ngbrxالبحرينdiamondsamsterdamhealthcareredumbrellaxn--mxtq1mxn--2scrj9cagakhanxn--mgbpl2fhкатоликcaravanசிங்கப்பூர்richardlimortgageamericanfamilyxn--fzc2c9e2cscholarshipssaarlandxn--imr513nvlaanderensamsclubgoodyearkitchenஇந்தியாweatherchannelallfinanzxn--kput3iالسعودیۃxn--90aisxn--efvy88hالجزائرxn--mgbaam7a8hexchangejpmorganxn--tiq49xqyjfidelitysecurityxn--mk1bu44cwanggouxn--fiq64bxn--6qq986b3xlxn--mgbbh1a71exn--80ao21amarshallsxn--5tzm5gtravelerspanasoniclatrobeyoutubeaccountantsxn--rhqv96gxn--cckwcxetdanalyticsxn--ygbi2ammxبازاربھارتسوريةorganicfreseniusسورياxn--9krt00axn--qcka1pmcxn--jlq480n2rgdeloittesciencefinancexn--jvr189mxn--30rr7yhomesensehotmailbaseballfootballleclercboehringerxn--q9jyb4cxn--mix082fاليمنهمراهpolitieسودانايرانایرانnetflixyamaxunxn--lgbbat1ad8jcollegestoragecapetowncolognekerrypropertiesxn--mgbgu82axn--ogbpf8flxn--czru2dwhoswhociprianilasallexn--g2xx48cforsalebanamexaudiblexn--vermgensberater-ctbxn--zfr164bericssonvanguardxn--45brj9cindustriestheatremarriottxn--3bst00mcomparexn--mgberp4a5d4a87gcapitaldigitalالمغربbarcelonashangrilaxn--d1alfcalvinkleinwwwcitysapporokawasakinagoyasendaikobekitakyushuyokohamackjp";
    var rulesRoot = 668;
    var exceptionsRoot = 672;
    var charCodeAt = String.prototype.charCodeAt;
    var numberOfNodes = nodeFlags.length;
    var numberOfEdges = edgeLength.length;
    var edgeOffset = new Uint32Array(numberOfEdges);
    var edgeHash = new Uint32Array(numberOfEdges);
    var wildcardEdge = new Int32Array(numberOfNodes).fill(-1);
    for (let node = 0, offset = 0; node < numberOfNodes; node += 1) {
      for (let edge = edgeStart[node]; edge < edgeStart[node + 1]; edge += 1) {
        edgeOffset[edge] = offset;
        const end = offset + edgeLength[edge];
        let hash = 5381;
        for (let i = end - 1; i >= offset; i -= 1) {
          hash = hash * 33 ^ labelText.charCodeAt(i);
        }
        edgeHash[edge] = hash >>> 0;
        if (edgeLength[edge] === 1 && labelText.charCodeAt(offset) === 42) {
          wildcardEdge[node] = edge;
        }
        offset = end;
      }
    }
    var matchNode = -1;
    var matchStart = 0;
    var matchEnd = 0;
    function labelEquals(edge, hostname, start, length) {
      if (edgeLength[edge] !== length) {
        return false;
      }
      const offset = edgeOffset[edge];
      for (let i = 0; i < length; i += 1) {
        if (labelText.charCodeAt(offset + i) !== hostname.charCodeAt(start + i)) {
          return false;
        }
      }
      return true;
    }
    function findEdge(node, hash, hostname, start, length) {
      let lo = edgeStart[node];
      let hi = edgeStart[node + 1];
      while (lo < hi) {
        const mid = lo + hi >>> 1;
        const value = edgeHash[mid];
        if (value < hash) {
          lo = mid + 1;
        } else if (value > hash) {
          hi = mid;
        } else {
          for (let e = mid; e >= lo && edgeHash[e] === hash; e -= 1) {
            if (labelEquals(e, hostname, start, length))
              return e;
          }
          for (let e = mid + 1; e < hi && edgeHash[e] === hash; e += 1) {
            if (labelEquals(e, hostname, start, length))
              return e;
          }
          return -1;
        }
      }
      return -1;
    }
    function walk(hostname, root, allowedMask) {
      let node = root;
      let end = hostname.length;
      let hash = 5381;
      matchNode = -1;
      for (let i = hostname.length - 1; i >= 0; i -= 1) {
        const code = charCodeAt.call(hostname, i);
        if (code === 46) {
          const start = i + 1;
          let edge2 = findEdge(node, hash >>> 0, hostname, start, end - start);
          if (edge2 === -1 && end !== start) {
            edge2 = wildcardEdge[node];
          }
          if (edge2 === -1) {
            return matchNode !== -1;
          }
          node = edgeChild[edge2];
          if ((nodeFlags[node] & allowedMask) !== 0) {
            matchNode = node;
            matchStart = start;
            matchEnd = end;
          }
          end = i;
          hash = 5381;
        } else {
          hash = hash * 33 ^ code;
        }
      }
      let edge = findEdge(node, hash >>> 0, hostname, 0, end);
      if (edge === -1 && end !== 0) {
        edge = wildcardEdge[node];
      }
      if (edge !== -1) {
        node = edgeChild[edge];
        if ((nodeFlags[node] & allowedMask) !== 0) {
          matchNode = node;
          matchStart = 0;
          matchEnd = end;
        }
      }
      return matchNode !== -1;
    }
    function suffixLookup(hostname, options, out) {
      if (fastPathLookup(hostname, options, out)) {
        return false;
      }
      const allowedMask = (options.allowPrivateDomains ? 2 : 0) | (options.allowIcannDomains ? 1 : 0);
      if (walk(hostname, exceptionsRoot, allowedMask)) {
        out.isIcann = (nodeFlags[matchNode] & 1) !== 0;
        out.isPrivate = (nodeFlags[matchNode] & 2) !== 0;
        out.publicSuffix = hostname.slice(matchEnd + 1);
        return true;
      }
      if (walk(hostname, rulesRoot, allowedMask)) {
        out.isIcann = (nodeFlags[matchNode] & 1) !== 0;
        out.isPrivate = (nodeFlags[matchNode] & 2) !== 0;
        out.publicSuffix = hostname.slice(matchStart);
        return false;
      }
      out.isIcann = false;
      out.isPrivate = false;
      const lastDot = hostname.lastIndexOf(".");
      out.publicSuffix = lastDot === -1 ? hostname : hostname.slice(lastDot + 1);
      return false;
    }
    var RESULT = getEmptyResult();
    function parse2(url, options) {
      return parseImpl(url, 5, suffixLookup, options, getEmptyResult());
    }
    function getHostname(url, options) {
      resetResult(RESULT);
      return parseImpl(url, 0, suffixLookup, options, RESULT).hostname;
    }
    function getPublicSuffix(url, options) {
      resetResult(RESULT);
      return parseImpl(url, 2, suffixLookup, options, RESULT).publicSuffix;
    }
    function getDomain(url, options) {
      resetResult(RESULT);
      return parseImpl(url, 3, suffixLookup, options, RESULT).domain;
    }
    function getFullDomain(url, options) {
      resetResult(RESULT);
      const result = parseImpl(url, 3, suffixLookup, options, RESULT);
      return result.domain === null ? null : result.hostname;
    }
    function getSubdomain(url, options) {
      resetResult(RESULT);
      return parseImpl(url, 4, suffixLookup, options, RESULT).subdomain;
    }
    function getDomainWithoutSuffix(url, options) {
      resetResult(RESULT);
      return parseImpl(url, 5, suffixLookup, options, RESULT).domainWithoutSuffix;
    }
    exports.getDomain = getDomain;
    exports.getDomainWithoutSuffix = getDomainWithoutSuffix;
    exports.getFullDomain = getFullDomain;
    exports.getHostname = getHostname;
    exports.getPublicSuffix = getPublicSuffix;
    exports.getSubdomain = getSubdomain;
    exports.parse = parse2;
  }
});

// hostd/vmm/qemu/open-qemu-vmm.ts
import { readFile as readFile8 } from "node:fs/promises";
import { join as join17 } from "node:path";

// hostd/vmm/qemu/command-line-part.ts
function fdset(number) {
  return `fd=${String(number)},set=${String(number)}`;
}
function fdsetPath(number) {
  return `/dev/fdset/${String(number)}`;
}

// hostd/vmm/qemu/disk-chain.ts
var firstLayerDescriptor = 20;
function diskChain(overlay, layers) {
  const nodes = layers.map((layer, index) => ({ ...layer, number: firstLayerDescriptor + index }));
  const args = nodes.toReversed().flatMap((layer, index, all) => {
    const { node, format, number } = layer;
    const options = blockNode({
      node,
      format,
      filename: fdsetPath(number),
      readOnly: true,
      backing: all[index - 1]?.node ?? null
    });
    return ["-add-fd", fdset(number), "-blockdev", JSON.stringify(options)];
  });
  const top = overlayNode(overlay, nodes[0]?.node ?? null);
  args.push("-blockdev", JSON.stringify(top), "-device", `virtio-blk-device,drive=${overlay.node}`);
  const files = nodes.map(({ number, path: path18 }) => ({ kind: "read", number, target: path18 }));
  return { args, files };
}
function overlayNode(overlay, backing) {
  return blockNode({ node: overlay.node, format: "qcow2", filename: overlay.file, readOnly: false, backing });
}
function blockNode({ node, format, filename, readOnly, backing }) {
  return {
    "node-name": node,
    driver: format,
    "read-only": readOnly,
    discard: "unmap",
    cache: { "no-flush": true },
    ...format === "raw" ? {} : { backing },
    file: { driver: "file", filename, discard: "unmap", cache: { "no-flush": true } }
  };
}

// hostd/vmm/qemu/machine-files.ts
import { join } from "node:path";
var machineFiles = {
  spec: "launch.spec",
  launcherPid: "launcher.pid",
  vmmPid: "vmm.pid",
  exit: "exit.json",
  qmpSocket: "qmp.sock",
  agentSocket: "agent.sock",
  /** What the driver has to know of the machine, whichever hostd asks; see machine-record.ts. */
  record: "machine.json",
  /** Copied for each new overlay. */
  overlaySeed: "seed.qcow2",
  /** The empty memory image of a machine that was booted cold. */
  memory: "memory",
  /** That of a machine that was booted cold, when the image's own is no whole number of pages. */
  initramfs: "initramfs",
  /** Where the VMM writes device state; empty until then, and the VMM's own, because it can make no file here. */
  devices: "devices.state",
  console: { head: "console.log", tail: "console.tail.log", older: "console.older.log" },
  vmmLog: { head: "vmm.log", tail: "vmm.tail.log", older: "vmm.older.log" }
};
function overlayFile(number) {
  return `overlay-${String(number)}.qcow2`;
}
function layerFile(fromBottom, format) {
  return `layer-${String(fromBottom)}.${format}`;
}
function agentSocketPath(directory) {
  return join(directory, machineFiles.agentSocket);
}
function qmpSocketPath(directory) {
  return join(directory, machineFiles.qmpSocket);
}

// hostd/vmm/qemu/qemu-version.ts
function parseQemuVersion(output2) {
  const match = /^QEMU emulator version ((\d+)\.(\d+)\S*(?: \(.*\))?)/.exec(output2);
  const [, text, major, minor] = match ?? [];
  if (text === void 0) return void 0;
  return { text, major: Number(major), minor: Number(minor) };
}
function isAtLeast(version, major, minor) {
  return version.major > major || version.major === major && version.minor >= minor;
}
function mapsReadOnlyMemoryFiles(version) {
  return isAtLeast(version, 8, 2);
}
function takesIncomingFile(version) {
  return isAtLeast(version, 9, 1);
}

// hostd/vmm/qemu/command-line.ts
var machineType = "microvm";
var machineOptions = `${machineType},acpi=on,pit=on,pic=on,rtc=on,pcie=off,usb=off,mem-merge=off,suppress-vmdesc=on,memory-backend=memory`;
var sandboxOptions = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny";
var translationBufferMiB = 64;
var commandLineVersion = 4;
var memoryDescriptor = 15;
var numbers = {
  qmp: 10,
  agent: 11,
  tap: 12,
  console: 13,
  memory: memoryDescriptor,
  devices: 16,
  kernel: 17,
  initramfs: 18
};
function qemuCommandLine(profile, plan) {
  const parts = [
    basics(profile, plan),
    channels(),
    link(plan),
    diskChain(plan.overlay, plan.layers),
    memory(profile, plan),
    boot(profile, plan)
  ];
  return { args: parts.flatMap((part) => part.args), files: parts.flatMap((part) => part.files) };
}
function basics(profile, { shape }) {
  const threads = shape.cpus > 1 ? ",thread=single" : "";
  const accel = profile.accelerator === "kvm" ? "kvm" : `tcg,tb-size=${String(translationBufferMiB)}${threads}`;
  const args = [
    ...["-M", machineOptions, "-accel", accel, "-cpu", profile.cpuModel],
    ...["-smp", String(shape.cpus), "-m", `${String(shape.memoryMiB)}M`],
    ...["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-sandbox", sandboxOptions],
    ...["-global", "migration.send-configuration=off", "-device", "virtio-rng-device"]
  ];
  return { args, files: [] };
}
function channels() {
  const listening = (id, number) => `socket,id=${id},fd=${String(number)},server=on,wait=off`;
  const args = [
    ...["-chardev", listening("qmp", numbers.qmp), "-mon", "chardev=qmp,mode=control"],
    ...["-chardev", listening("agent", numbers.agent), "-device", "virtio-serial-device,max_ports=2"],
    ...["-device", "virtserialport,chardev=agent,name=offshoot.agent"],
    ...["-add-fd", fdset(numbers.console), "-chardev", `file,id=console,append=on,path=${fdsetPath(numbers.console)}`],
    ...["-serial", "chardev:console"]
  ];
  const files = [
    { kind: "listen", number: numbers.qmp, target: machineFiles.qmpSocket },
    { kind: "listen", number: numbers.agent, target: machineFiles.agentSocket },
    { kind: "console", number: numbers.console, target: "" }
  ];
  return { args, files };
}
function link({ link: card }) {
  if (card === void 0) return { args: [], files: [] };
  const device = `virtio-net-device,netdev=link,mac=${card.guestMac},host_mtu=${String(card.mtu)},guest_announce=off`;
  return {
    args: ["-netdev", `tap,id=link,fd=${String(numbers.tap)}`, "-device", device],
    files: [{ kind: "tap", number: numbers.tap, target: card.tapName }]
  };
}
function memory(profile, plan) {
  const size = `id=memory,size=${String(plan.shape.memoryMiB)}M,merge=off`;
  const path18 = `mem-path=/proc/self/fd/${String(numbers.memory)}`;
  switch (plan.memory.kind) {
    case "written-through":
      return {
        args: ["-object", `memory-backend-file,${size},${path18},share=on`],
        files: [{ kind: "read-write", number: numbers.memory, target: plan.memory.path }]
      };
    case "private-copy": {
      const access6 = mapsReadOnlyMemoryFiles(profile.version) ? ",readonly=on,rom=off" : "";
      return {
        args: ["-object", `memory-backend-file,${size},${path18},share=off${access6}`],
        files: [{ kind: "read", number: numbers.memory, target: plan.memory.path }]
      };
    }
  }
}
function boot(profile, { boot: how }) {
  if (how.kind === "restore") {
    const openable = takesIncomingFile(profile.version) ? ["-add-fd", fdset(numbers.devices)] : [];
    const args2 = [...openable, "-incoming", how.deferred ? "defer" : incomingUri(profile.version)];
    return { args: args2, files: [{ kind: "read", number: numbers.devices, target: how.devices }] };
  }
  const args = [
    "-kernel",
    `/proc/self/fd/${String(numbers.kernel)}`,
    "-initrd",
    `/proc/self/fd/${String(numbers.initramfs)}`
  ];
  args.push("-append", [...kernelArguments(profile), ...how.kernelArguments].join(" "));
  return {
    args,
    files: [
      { kind: "read", number: numbers.kernel, target: how.kernel },
      { kind: "read", number: numbers.initramfs, target: how.initramfs }
    ]
  };
}
function incomingUri(version) {
  return takesIncomingFile(version) ? `file:${fdsetPath(numbers.devices)}` : `fd:${String(numbers.devices)}`;
}
function kernelArguments(profile) {
  return [
    "console=ttyS0",
    "quiet",
    "reboot=t",
    "panic=-1",
    ...profile.accelerator === "tcg" ? emulatedArguments(profile) : []
  ];
}
function emulatedArguments({ tscKhz, version }) {
  const clock = tscKhz === void 0 ? [] : [`tsc_early_khz=${String(tscKhz)}`, "tsc=reliable"];
  const withoutCmpxchg16b = version.major < 8 ? ["clearcpuid=cx16"] : [];
  return [...clock, "norandmaps", "mitigations=off", "nowatchdog", ...withoutCmpxchg16b];
}

// hostd/vmm/qemu/compatibility.ts
var names = {
  snapshot: "format of snapshots",
  "command-line": "way of starting QEMU",
  qemu: "QEMU build",
  machine: "machine type",
  accel: "accelerator",
  cpu: "CPU model of the guest",
  host: "CPU of the host",
  flags: "set of features of the host’s CPU"
};
function restoreKeyOf(facts) {
  return Object.entries(facts).map(([name, value]) => `${name}=${String(value)}`).join(";");
}
function compatibilityOf(recorded, now) {
  if (recorded.restoreKey === now.restoreKey)
    return { restorable: "yes", reason: "The host and its QEMU are the same." };
  const [before, after] = [parseFacts(recorded.restoreKey), parseFacts(now.restoreKey)];
  const differing = Object.entries(names).filter(([name]) => before.get(name) !== after.get(name));
  const serious = differing.filter(([name]) => name !== "qemu" || seriesOf(recorded) !== seriesOf(now));
  if (recorded.name !== now.name || serious.length > 0 || differing.length === 0) {
    const words = serious.map(
      ([name, label]) => `${label} (${before.get(name) ?? "none"}, now ${after.get(name) ?? "none"})`
    );
    return { restorable: "no", reason: `It was saved with another ${words.join(", ") || "VMM"}.` };
  }
  const reason2 = `It was saved by QEMU ${recorded.version}, and this is ${now.version} of the same series.`;
  return { restorable: "probe", reason: reason2 };
}
function seriesOf({ version }) {
  const parsed = parseQemuVersion(`QEMU emulator version ${version}`);
  return parsed === void 0 ? version : `${String(parsed.major)}.${String(parsed.minor)}`;
}
function parseFacts(key) {
  return new Map(
    key.split(";").map((part) => {
      const at = part.indexOf("=");
      return [part.slice(0, at), part.slice(at + 1)];
    })
  );
}

// hostd/vmm/qemu/host-cpu.ts
import { createHash } from "node:crypto";
function parseCpuInfo(text) {
  const first = text.split("\n\n")[0] ?? "";
  const field = (name) => new RegExp(`^${name}\\s*:\\s*(.*)$`, "m").exec(first)?.[1]?.trim() ?? "";
  const flags = field("flags").split(/\s+/).toSorted().join(" ");
  return {
    model: `${field("vendor_id")} ${field("cpu family")}/${field("model")}/${field("stepping")} ${field("model name")}`,
    flagsDigest: createHash("sha256").update(flags).digest("hex").slice(0, 16)
  };
}

// hostd/vmm/qemu/machine-record.ts
import { readFile, rename as rename2, writeFile } from "node:fs/promises";
import { join as join2 } from "node:path";

// hostd/platform/durable-file.ts
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
async function writeDurably(path18, content, mode = 420) {
  const beside = `${path18}.new`;
  const file = await open(beside, "w", mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, path18);
  await syncDirectory(dirname(path18));
}
async function syncDirectory(path18) {
  const directory = await open(path18, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

// hostd/vmm/qemu/machine-record.ts
var snapshotFormatVersion = 2;
var originSchema = external_exports.object({
  name: external_exports.literal("qemu"),
  version: external_exports.string(),
  machine: external_exports.string(),
  cpuModel: external_exports.string(),
  restoreKey: external_exports.string(),
  tier: external_exports.enum(["kvm", "emulated"])
});
var hardwareSchema = external_exports.object({
  origin: originSchema,
  cpus: external_exports.number().int(),
  memoryMiB: external_exports.number().int(),
  link: external_exports.object({ guestMac: external_exports.string(), mtu: external_exports.number().int() }).nullable()
});
var layerSchema = external_exports.object({
  node: external_exports.string(),
  /** Relative to the machine's folder. */
  path: external_exports.string(),
  format: external_exports.enum(["raw", "qcow2"]),
  /** No VMM can have kept a descriptor to write it with. */
  sealed: external_exports.boolean(),
  /** The set of descriptors through which QEMU opened it; null when it opened it by name. */
  fdset: external_exports.number().int().nullable()
});
var recordSchema = external_exports.object({
  formatVersion: external_exports.literal(snapshotFormatVersion),
  hardware: hardwareSchema,
  uid: external_exports.number().int(),
  gid: external_exports.number().int(),
  /** The disk, topmost first: the overlay in use and what is under it. */
  chain: external_exports.array(layerSchema).min(1),
  /** How many layers at the bottom are a template's, and are never merged into others. */
  foundation: external_exports.number().int(),
  nextOverlay: external_exports.number().int(),
  /** Its memory is a private mapping, so it can be duplicated. */
  capturable: external_exports.boolean(),
  /** It stands still because it was told to. */
  paused: external_exports.boolean(),
  /** The disk as it was when the machine was last saved and ended. */
  hibernated: external_exports.array(layerSchema).nullable()
});
async function readMachineRecord(directory) {
  const text = await readFile(join2(directory, machineFiles.record), "utf8").catch(() => "");
  const parsed = recordSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const message = "The sandbox was started by another version of hostd, which kept no record of its disk.";
  throw new OffshootError("freeze-failed", { message, cause: parsed.error });
}
async function writeMachineRecord(directory, record, durable = false) {
  const path18 = join2(directory, machineFiles.record);
  const text = `${JSON.stringify(record, void 0, 2)}
`;
  if (durable) {
    await writeDurably(path18, text, 384);
    return;
  }
  await writeFile(`${path18}.new`, text, { mode: 384 });
  await rename2(`${path18}.new`, path18);
}
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}

// hostd/vmm/qemu/memory-freezer.ts
import { spawn } from "node:child_process";
import { open as open2, rm } from "node:fs/promises";

// hostd/vmm/qemu/line-reader.ts
import { createInterface } from "node:readline";
var LineReader = class {
  #lines = [];
  #interface;
  #ended = false;
  #wake = () => void 0;
  constructor(stream) {
    this.#interface = createInterface({ input: stream, crlfDelay: Infinity });
    stream.on("error", () => this.#interface.close());
    this.#interface.on("line", (line) => {
      this.#lines.push(line);
      this.#wake();
    });
    this.#interface.on("close", () => {
      this.#ended = true;
      this.#wake();
    });
  }
  /** The next line; undefined when the output has ended. One caller at a time. */
  async next() {
    while (this.#lines.length === 0 && !this.#ended) {
      await new Promise((resolve2) => {
        this.#wake = resolve2;
      });
    }
    return this.#lines.shift();
  }
};

// hostd/vmm/qemu/memory-freezer.ts
var readyTimeoutMs = 2e4;
var freezeTimeoutMs = 6e5;
var writeTimeoutMs = 18e5;
var endTimeoutMs = 1e4;
async function openMemoryFreezer(request) {
  if (request.signal?.aborted === true) throw new OffshootError("aborted", { cause: request.signal.reason });
  const freezer = await startHelper(request);
  await freezer.ready();
  return freezer;
}
async function startHelper(request) {
  const base = await open2(request.basePath, "r").catch((error) => fail("base", error));
  try {
    const image = await open2(request.imagePath, "wx+", 384).catch((error) => fail("image", error));
    try {
      const args = ["--pid", String(request.source.pid), "--start-ticks", String(request.source.startTicks)];
      args.push("--base-fd", "3", "--image-fd", "4", "--method", request.method);
      args.push("--min-available-mib", String(Math.ceil(request.minAvailableMiB)));
      const stdio = ["pipe", "pipe", "ignore", base.fd, image.fd];
      const helper = spawn(request.program, args, { stdio: [...stdio], env: {}, cwd: "/" });
      return await spawned(helper, request);
    } catch (error) {
      await rm(request.imagePath, { force: true });
      throw error;
    } finally {
      await image.close();
    }
  } finally {
    await base.close();
  }
}
async function spawned(helper, request) {
  const freezer = new MemoryFreezer(helper, request);
  await new Promise((resolve2, reject) => {
    helper.once("spawn", resolve2);
    helper.once("error", (error) => reject(freezeFailed("start", error.message, error)));
  });
  return freezer;
}
function fail(step2, error) {
  const code = error instanceof Error && "code" in error ? error.code : void 0;
  if (code === "ENOSPC" || code === "EDQUOT") throw new OffshootError("host-disk-full", { cause: error });
  throw freezeFailed(step2, error instanceof Error ? error.message : String(error), error);
}
function freezeFailed(step2, reason2, cause) {
  return new OffshootError("freeze-failed", {
    message: `The memory could not be duplicated: ${step2}: ${reason2}`,
    details: { step: step2, reason: reason2 },
    cause
  });
}
var MemoryFreezer = class {
  #helper;
  #request;
  #lines;
  #ended;
  #onAbort;
  #written = false;
  #method;
  #copyReason;
  constructor(helper, request) {
    this.#helper = helper;
    this.#request = request;
    this.#lines = new LineReader(helper.stdout);
    this.#ended = new Promise((resolve2) => helper.once("close", () => resolve2()));
    helper.stdin.on("error", () => void 0);
    this.#onAbort = () => this.#helper.kill("SIGTERM");
    request.signal?.addEventListener("abort", this.#onAbort);
    if (request.signal?.aborted === true) this.#onAbort();
  }
  /** Pid of the helper. */
  get pid() {
    return this.#helper.pid;
  }
  /** Why `freeze` copied instead of cloning; undefined before, or when it cloned. */
  get copyReason() {
    return this.#copyReason;
  }
  /** Resolves when the helper has found the source's memory. Part of `openMemoryFreezer`. */
  async ready() {
    await this.#answer(/^ready$/, readyTimeoutMs);
  }
  /**
   * Duplicates the memory; call it while the vCPUs stand still. After `clone` they may go on at once. So they may after `copy`: the
   * touched pages are written already. Rejects like `openMemoryFreezer`, the source as it was.
   */
  async freeze() {
    this.#helper.stdin.write("freeze\n");
    const [, method, , reason2] = await this.#answer(/^frozen (clone|copy)( (.*))?$/, freezeTimeoutMs);
    this.#method = method === "clone" ? "clone" : "copy";
    this.#copyReason = reason2;
    return this.#method;
  }
  /** Writes the rest of the image; the source may run and change. Rejects like `openMemoryFreezer`. The file is not synced. */
  async write() {
    this.#helper.stdin.write("write\n");
    const [, touched, image] = await this.#answer(/^written (\d+) (\d+)$/, writeTimeoutMs);
    this.#written = true;
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
    return { touchedBytes: Number(touched), imageBytes: Number(image) };
  }
  /** Ends the helper and with it the duplicate; removes the image unless it is whole. Idempotent; resolves when all is gone. */
  async abandon() {
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
    this.#helper.stdin.end();
    const timer = setTimeout(() => this.#helper.kill("SIGKILL"), endTimeoutMs);
    await this.#ended;
    clearTimeout(timer);
    if (!this.#written) await rm(this.#request.imagePath, { force: true });
  }
  async [Symbol.asyncDispose]() {
    await this.abandon();
  }
  async #answer(expected, timeoutMs2) {
    const timer = setTimeout(() => this.#helper.kill("SIGKILL"), timeoutMs2);
    const line = await this.#lines.next();
    clearTimeout(timer);
    const match = line === void 0 ? null : expected.exec(line);
    if (match !== null) return [...match];
    await this.abandon();
    throw this.#failure(line);
  }
  #failure(line) {
    const { signal } = this.#request;
    if (signal?.aborted === true) return new OffshootError("aborted", { cause: signal.reason });
    const [, step2 = "helper", reason2 = line ?? `it ended without a word (${this.#end()})`] = /^failed (\S+) (.*)$/.exec(line ?? "") ?? [];
    const message = `The memory could not be duplicated: ${step2}: ${reason2}`;
    if (step2 === "space") return new OffshootError("host-disk-full", { message, details: { step: step2, reason: reason2 } });
    if (step2 === "memory") return new OffshootError("capacity-exhausted", { message, details: { step: step2, reason: reason2 } });
    return freezeFailed(step2, reason2);
  }
  #end() {
    return this.#helper.signalCode ?? `exit code ${String(this.#helper.exitCode)}`;
  }
};
async function probeFreezeMethod(program2, runner) {
  try {
    const { stdout, stderr, code } = await runner.run(program2, ["--probe"], { timeoutMs: 1e4, env: {} });
    const line = stdout.split("\n")[0] ?? "";
    if (code === 0 && line === "clone") return { method: "clone", reason: "a process was duplicated" };
    const said = line.replace(/^(copy|failed) /, "") || stderr.trim().slice(0, 300) || `exit code ${String(code)}`;
    return { method: "copy", reason: said };
  } catch (error) {
    return { method: "copy", reason: error instanceof Error ? error.message : String(error) };
  }
}

// hostd/vmm/qemu/probe-kvm.ts
import { constants } from "node:fs";
import { access, mkdtemp, readFile as readFile2, rm as rm2, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join as join3 } from "node:path";
var passedLine = "offshoot-kvm-probe: passed";
var failedLine = "offshoot-kvm-probe: failed at ";
var steps = {
  i: "taking exceptions",
  c: "CPUID",
  m: "setting MSRs",
  f: "floating point state",
  p: "switching page tables",
  u: "user mode",
  t: "timer interrupts",
  s: "running at full speed",
  x: "an exception nobody expected"
};
async function probeKvm(runner, options) {
  const device = options.device ?? "/dev/kvm";
  const status = await stat(device).catch(() => void 0);
  if (status === void 0)
    return broken(`there is no ${device} (no virtualization in the CPU or BIOS, or the kvm module is not loaded)`);
  if (!await mayOpen(device)) return broken(`${device} can not be opened: permission denied`);
  const folder = await mkdtemp(join3(tmpdir(), "offshoot-kvm-probe-"));
  const booted = await bootPayload(runner, options, join3(folder, "serial")).finally(
    () => rm2(folder, { recursive: true, force: true })
  );
  const gid = groupFor(status);
  if (!booted.works || gid === void 0) return booted;
  if (gid === "nobody")
    return broken(`it works, but ${device} opens for root only: chgrp kvm ${device} && chmod 660 ${device}`);
  return { ...booted, gid };
}
async function bootPayload(runner, options, serialPath) {
  const args = [
    ...["-M", machineOptions, "-accel", "kvm", "-cpu", options.cpuModel, "-m", "128M"],
    ...["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"],
    ...["-object", "memory-backend-ram,id=memory,size=128M", "-bios", options.payload],
    ...["-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-serial", `file:${serialPath}`]
  ];
  const began = performance.now();
  const run = await runner.run(options.qemuProgram, args, { timeoutMs: options.deadlineMs }).catch((error) => error);
  const elapsedMs = Math.round(performance.now() - began);
  const serial = await readFile2(serialPath, "utf8").catch(() => "");
  if (serial.includes(passedLine))
    return { works: true, reason: `a test payload booted under KVM in ${String(elapsedMs)} ms` };
  const failedAt = serial.indexOf(failedLine);
  if (failedAt >= 0) return broken(`a test payload failed at ${stepName(serial.charAt(failedAt + failedLine.length))}`);
  const reached = serial === "" ? "it did not begin" : `it got as far as ${stepName(serial.charAt(serial.length - 1))}`;
  if (run instanceof Error)
    return broken(`a test payload gave no answer within ${String(options.deadlineMs)} ms: ${reached}`);
  const words = firstWords(run.stderr);
  return broken(`QEMU ended before a test payload was through (${reached}): ${words}`);
}
function firstWords(stderr) {
  const lines2 = stderr.split("\n").map((line) => line.replace(/^qemu-system-\w+: (error: )?/, "").trim());
  const telling = lines2.filter((line) => line !== "" && !line.startsWith("warning:"));
  return telling[0]?.slice(0, 300) ?? "without a word";
}
function stepName(letter) {
  return steps[letter] ?? `step ${letter}`;
}
function broken(reason2) {
  return { works: false, reason: reason2 };
}
async function mayOpen(path18) {
  return access(path18, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false
  );
}
function groupFor({ mode, gid }) {
  if ((mode & 6) === 6) return void 0;
  return (mode & 48) === 48 && gid !== 0 ? gid : "nobody";
}

// hostd/vmm/qemu/probe.ts
import { constants as constants2 } from "node:fs";
import { access as access2 } from "node:fs/promises";
import { join as join4 } from "node:path";
var neededCommands = [
  ...["stop", "cont", "quit", "query-status", "xen-save-devices-state", "migrate-incoming"],
  ...["blockdev-add", "blockdev-del", "blockdev-snapshot", "block-stream", "block-job-cancel"],
  ...["query-block", "query-block-jobs", "query-named-block-nodes", "query-fdsets", "remove-fd"]
];
var oldest = { major: 7, minor: 2 };
var timeoutMs = 1e4;
var install = "apt-get install qemu-system-x86 qemu-utils";
async function probeQemu(runner, given) {
  const program2 = given ?? await findProgram("qemu-system-x86_64");
  if (program2 === void 0) return { problem: "qemu-system-x86_64 is not installed", mend: install };
  if (await findProgram("qemu-img") === void 0) return { problem: "qemu-img is not installed", mend: install };
  const version = parseQemuVersion(await output(runner, program2, ["--version"]));
  if (version === void 0) return { problem: `${program2} does not tell its version`, mend: install };
  if (version.major < oldest.major || version.major === oldest.major && version.minor < oldest.minor) {
    return {
      problem: `QEMU ${version.text} is too old: 7.2 is needed`,
      mend: "Upgrade to Debian 12, Ubuntu 24.04 or newer."
    };
  }
  const machines = await output(runner, program2, ["-M", "help"]);
  if (!new RegExp(`^${machineType}\\b`, "m").test(machines)) {
    return { problem: `${program2} has no machine ${machineType}`, mend: install };
  }
  const missing = await missingCommands(runner, program2);
  if (missing instanceof Error)
    return { problem: `${program2} does not run as sandboxes need it: ${missing.message}`, mend: install };
  if (missing.length > 0) return { problem: `${program2} lacks the QMP commands ${missing.join(", ")}`, mend: install };
  return { program: program2, version };
}
var commandsSchema = external_exports.object({ return: external_exports.array(external_exports.object({ name: external_exports.string() })) });
async function missingCommands(runner, program2) {
  const args = [
    "-M",
    "none",
    "-nodefaults",
    "-no-user-config",
    "-nographic",
    "-sandbox",
    sandboxOptions,
    "-qmp",
    "stdio"
  ];
  const input = ["qmp_capabilities", "query-commands", "quit"].map((execute) => `${JSON.stringify({ execute })}
`).join("");
  try {
    const run = await runner.run(program2, args, { input, timeoutMs });
    for (const line of run.stdout.split("\n")) {
      const commands = commandsSchema.safeParse(parseJson2(line));
      if (!commands.success) continue;
      const names3 = new Set(commands.data.return.map(({ name }) => name));
      return neededCommands.filter((name) => !names3.has(name));
    }
    return new Error(run.stderr.trim().slice(0, 300) || "no answer on its monitor");
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
async function output(runner, program2, args) {
  return runner.run(program2, args, { timeoutMs }).then(
    (run) => run.stdout,
    () => ""
  );
}
async function findProgram(name) {
  for (const folder of [...(process.env["PATH"] ?? "").split(":"), "/usr/local/bin", "/usr/bin"]) {
    if (!folder.startsWith("/")) continue;
    const path18 = join4(folder, name);
    const runs = await access2(path18, constants2.X_OK).then(
      () => true,
      () => false
    );
    if (runs) return path18;
  }
  return void 0;
}
function parseJson2(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}

// hostd/vmm/qemu/qemu-vmm.ts
import { access as access3, chmod as chmod5, chown as chown6, rm as rm10, writeFile as writeFile4 } from "node:fs/promises";
import { join as join16 } from "node:path";

// hostd/vmm/qemu/capture-files.ts
import { chmod as chmod4, chown as chown4, copyFile as copyFile4, open as open4, readdir, rename as rename3, rm as rm4 } from "node:fs/promises";
import { dirname as dirname2, join as join8 } from "node:path";

// hostd/vmm/qemu/overlay.ts
import { constants as constants3 } from "node:fs";
import { chmod, chown, copyFile, link as link2 } from "node:fs/promises";
async function createOverlay(runner, path18, base, diskMiB) {
  const size = diskMiB === void 0 ? [] : [`${String(diskMiB)}M`];
  await runChecked(runner, "qemu-img", [
    "create",
    "-q",
    "-f",
    "qcow2",
    "-F",
    base.format,
    "-b",
    base.path,
    path18,
    ...size
  ]);
}
async function copyOverlay(seed, path18, owner) {
  await copyFile(seed, path18, constants3.COPYFILE_FICLONE | constants3.COPYFILE_EXCL);
  await ownOverlay(path18, owner);
}
async function ownOverlay(path18, { uid, gid }) {
  await chown(path18, uid, gid);
  await chmod(path18, 384);
}
async function sealFile(path18) {
  await chown(path18, 0, 0);
  await chmod(path18, 256);
}
async function linkOrStay(from, to) {
  try {
    await link2(from, to);
    return to;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EXDEV") return from;
    throw error;
  }
}

// hostd/vmm/qemu/plan-machine.ts
import { chown as chown3, copyFile as copyFile3, rm as rm3, stat as stat4, writeFile as writeFile3 } from "node:fs/promises";
import { join as join7, relative as relative2 } from "node:path";

// hostd/vmm/qemu/memory-image.ts
import { chmod as chmod2, chown as chown2, open as open3, truncate } from "node:fs/promises";
async function createEmptyImage(path18, memoryMiB) {
  const file = await open3(path18, "wx", 384);
  await file.truncate(memoryMiB * 2 ** 20).finally(() => file.close());
}
async function openToVmms(path18, image) {
  await truncate(path18, image.memoryMiB * 2 ** 20);
  await chown2(path18, 0, image.gid);
  await chmod2(path18, mapsReadOnlyMemoryFiles(image.version) ? 416 : 432);
}

// hostd/vmm/qemu/snapshot-record.ts
import { readFile as readFile3, stat as stat2, writeFile as writeFile2 } from "node:fs/promises";
import { join as join5, relative, resolve } from "node:path";
function snapshotRecordPath(directory) {
  return join5(directory, "machine.json");
}
var attestedFile = "attested.json";
var layerSchema2 = external_exports.object({
  /** Relative to the snapshot's folder, so that a state directory can be moved. */
  path: external_exports.string(),
  format: external_exports.enum(["raw", "qcow2"]),
  /** No VMM can have kept a descriptor to write it with. */
  sealed: external_exports.boolean()
});
var stampSchema = external_exports.object({ sizeBytes: external_exports.number().int(), mtimeNs: external_exports.string(), ctimeNs: external_exports.string() });
var recordSchema2 = external_exports.object({
  formatVersion: external_exports.literal(snapshotFormatVersion),
  hardware: hardwareSchema,
  /** Topmost first: the frozen layer and what is under it. Empty when the disk stayed in the machine's folder. */
  layers: external_exports.array(layerSchema2),
  /** How many layers at the bottom are a template's. */
  foundation: external_exports.number().int(),
  /** As the memory image was left. Nanoseconds as text: they do not fit a number. */
  memoryStamp: stampSchema
});
function absoluteLayer(directory, { path: path18, format, sealed: sealed2 }) {
  return { path: resolve(directory, path18), format, sealed: sealed2 };
}
async function stampMemory(path18) {
  const status = await stat2(path18, { bigint: true });
  return { sizeBytes: Number(status.size), mtimeNs: String(status.mtimeNs), ctimeNs: String(status.ctimeNs) };
}
async function writeSnapshotRecord(directory, record) {
  const path18 = snapshotRecordPath(directory);
  const layers = record.layers.map((layer) => ({ ...layer, path: relative(directory, layer.path) }));
  const whole = { formatVersion: snapshotFormatVersion, ...record, layers };
  await writeFile2(path18, `${JSON.stringify(whole, void 0, 2)}
`, { mode: 384 });
  return path18;
}
async function readDiskRecord(files) {
  const text = await readFile3(snapshotRecordPath(files.directory), "utf8").catch((error) => {
    throw refusal("snapshot-missing", `The snapshot in ${files.directory} is not whole.`, error);
  });
  const parsed = recordSchema2.safeParse(parseJson3(text));
  if (!parsed.success)
    throw refusal("snapshot-missing", `The record of the snapshot in ${files.directory} is damaged.`, parsed.error);
  const layers = parsed.data.layers.map((layer) => ({ ...layer, path: resolve(files.directory, layer.path) }));
  return { ...parsed.data, layers };
}
async function readSnapshotRecord(files) {
  const record = await readDiskRecord(files);
  const stamp = await stampMemory(files.memory).catch((error) => {
    throw refusal("snapshot-missing", `The memory image of the snapshot in ${files.directory} is missing.`, error);
  });
  if (sameStamp(stamp, record.memoryStamp)) return record;
  const attested = await readAttested(files.directory);
  if (attested !== void 0 && sameStamp(stamp, attested)) return record;
  throw refusal(
    "snapshot-tampered",
    `The memory image of the snapshot in ${files.directory} was changed after it was made.`
  );
}
async function attestMemory(files) {
  const stamp = await stampMemory(files.memory);
  if (sameStamp(stamp, (await readDiskRecord(files)).memoryStamp)) return;
  await writeDurably(join5(files.directory, attestedFile), JSON.stringify(stamp), 384);
}
async function readAttested(directory) {
  const text = await readFile3(join5(directory, attestedFile), "utf8").catch(() => "");
  return stampSchema.safeParse(parseJson3(text)).data;
}
function sameStamp(one, other) {
  return one.sizeBytes === other.sizeBytes && one.mtimeNs === other.mtimeNs && one.ctimeNs === other.ctimeNs;
}
function requireSameHardware(saved, wanted) {
  const differing = [
    ...saved.cpus === wanted.cpus ? [] : ["cpus"],
    ...saved.memoryMiB === wanted.memoryMiB ? [] : ["memoryMiB"],
    ...saved.link?.guestMac === wanted.link?.guestMac ? [] : ["guestMac"],
    ...saved.link?.mtu === wanted.link?.mtu ? [] : ["mtu"]
  ];
  if (differing.length === 0) return;
  throw refusal("snapshot-mismatch", `The snapshot was made with another ${differing.join(", ")}.`);
}
function refusal(reason2, message, cause) {
  const hint = "Remove the snapshot; a template is then made anew.";
  return new OffshootError("boot-failed", { message, hint, details: { reason: reason2 }, cause });
}
function parseJson3(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}

// hostd/vmm/qemu/whole-pages.ts
import { copyFile as copyFile2, chmod as chmod3, stat as stat3, truncate as truncate2 } from "node:fs/promises";
import { join as join6 } from "node:path";
var pageBytes = 4096;
async function initramfsOfWholePages(path18, directory) {
  const { size } = await stat3(path18);
  if (size % pageBytes === 0) return path18;
  const padded = join6(directory, machineFiles.initramfs);
  await copyFile2(path18, padded);
  await truncate2(padded, Math.ceil(size / pageBytes) * pageBytes);
  await chmod3(padded, 292);
  return padded;
}

// hostd/vmm/qemu/plan-machine.ts
var privateTapName = "offshoot0";
async function planCold(launch, start, parts) {
  const { directory, shape, uid, gid } = launch;
  const seed = join7(directory, machineFiles.overlaySeed);
  const { layers, foundation } = await coldLayers(launch, start, parts.runner);
  if (start.disk !== void 0) await linkOrCopy(start.disk.overlaySeed, seed);
  await copyOverlay(seed, join7(directory, overlayFile(0)), launch);
  const memory2 = start.memoryFile ?? join7(directory, machineFiles.memory);
  await createEmptyImage(memory2, shape.memoryMiB);
  if (start.memoryFile === void 0)
    await openToVmms(memory2, { memoryMiB: shape.memoryMiB, gid, version: parts.version });
  else await prepareSaving(start.memoryFile, directory, { uid, gid });
  const kind = start.memoryFile === void 0 ? "private-copy" : "written-through";
  const boot2 = { ...start, initramfs: await initramfsOfWholePages(start.initramfs, directory) };
  return planned(launch, parts, { layers, foundation, overlay: 0, memory: { kind, path: memory2 }, boot: boot2 });
}
function planned(launch, { origin }, facts) {
  const { shape, uid, gid, network } = launch;
  const overlay = { node: `overlay-${String(facts.overlay)}`, file: overlayFile(facts.overlay) };
  const layers = facts.layers.map((layer, index) => ({
    ...layer,
    node: `layer-${String(facts.layers.length - 1 - index)}`
  }));
  const chain = [
    { node: overlay.node, path: overlay.file, format: "qcow2", sealed: false, fdset: null },
    ...layers.map((layer, index) => ({
      ...layer,
      path: relative2(launch.directory, layer.path),
      fdset: firstLayerDescriptor + index
    }))
  ];
  const link6 = network === void 0 ? null : { guestMac: network.guestMac, mtu: network.mtu };
  const record = {
    formatVersion: snapshotFormatVersion,
    hardware: { origin, cpus: shape.cpus, memoryMiB: shape.memoryMiB, link: link6 },
    ...{ uid, gid, chain, foundation: facts.foundation },
    nextOverlay: facts.overlay + 1,
    capturable: facts.memory.kind === "private-copy",
    paused: false,
    hibernated: null
  };
  const { memory: memory2, boot: boot2 } = facts;
  return { plan: { shape, link: linkOf(launch), overlay, layers, memory: memory2, boot: boot2 }, record };
}
async function linkLayers(directory, layers) {
  return Promise.all(
    layers.map(async (layer, index) => {
      const name = layerFile(layers.length - 1 - index, layer.format);
      return { ...layer, path: await linkOrStay(layer.path, join7(directory, name)) };
    })
  );
}
async function linkOrCopy(from, to) {
  if (await linkOrStay(from, to) === from) await copyFile3(from, to);
}
async function coldLayers(launch, { baseDisk, disk }, runner) {
  const { directory, shape } = launch;
  if (disk !== void 0) {
    const { layers, foundation } = await readDisk(disk);
    return { layers: await linkLayers(directory, layers), foundation };
  }
  await requireRoomForBase(baseDisk, shape.diskMiB);
  await createOverlay(runner, join7(directory, machineFiles.overlaySeed), baseDisk, shape.diskMiB);
  return { layers: await linkLayers(directory, [{ ...baseDisk, sealed: true }]), foundation: 1 };
}
async function readDisk(disk) {
  const record = await readDiskRecord(disk);
  if (record.layers.length > 0) return record;
  const message = "This state of a sandbox has no disk of its own to boot from.";
  throw new OffshootError("boot-failed", { message, details: { reason: "snapshot-missing" } });
}
async function prepareSaving(memory2, directory, owner) {
  await chown3(memory2, owner.uid, owner.gid);
  await prepareDevicesFile(directory, owner);
}
async function prepareDevicesFile(directory, owner) {
  const devices = join7(directory, machineFiles.devices);
  await rm3(devices, { force: true });
  await writeFile3(devices, "", { mode: 384, flag: "wx" });
  await ownOverlay(devices, owner);
}
async function requireRoomForBase(baseDisk, diskMiB) {
  if (baseDisk.format !== "raw") return;
  const baseMiB = Math.ceil((await stat4(baseDisk.path)).size / 2 ** 20);
  if (baseMiB <= diskMiB) return;
  const message = `The disk (${String(diskMiB)} MiB) is smaller than that of its image (${String(baseMiB)} MiB).`;
  throw new OffshootError("boot-failed", { message, details: { reason: "disk-too-small", imageDiskMiB: baseMiB } });
}
function linkOf({ network }) {
  if (network === void 0) return void 0;
  return { guestMac: network.guestMac, mtu: network.mtu, tapName: network.tapName ?? privateTapName };
}

// hostd/vmm/qemu/capture-files.ts
var copyTimeoutMs = 30 * 6e4;
async function linkDisk(directory, record, into) {
  await linkOrCopy(join8(directory, machineFiles.overlaySeed), into.overlaySeed);
  return Promise.all(
    record.chain.map(async (machineLayer, index) => {
      const layer = absoluteLayer(directory, machineLayer);
      const name = layerFile(record.chain.length - 1 - index, layer.format);
      return { ...layer, path: await linkOrStay(layer.path, index === 0 ? into.disk : join8(into.directory, name)) };
    })
  );
}
async function takeDevices(directory, into) {
  await copyFile4(join8(directory, machineFiles.devices), into.devices);
  await chown4(into.devices, 0, 0);
  await chmod4(into.devices, 384);
}
async function makeDurable(runner, into, layers, signal) {
  const own = [...layers.filter(({ sealed: sealed2 }) => !sealed2).map(({ path: path18 }) => path18), into.overlaySeed];
  for (const path18 of own) await replaceByCopy(runner, path18, signal);
  await syncFiles([...layers.map(({ path: path18 }) => path18), into.overlaySeed, into.devices, into.memory]);
  return layers.map((layer) => ({ ...layer, sealed: true }));
}
async function syncFiles(paths) {
  for (const path18 of paths) {
    const file = await open4(path18, "r");
    await file.sync().finally(() => file.close());
  }
  for (const directory of new Set(paths.map((path18) => dirname2(path18)))) await syncDirectory(directory);
}
async function removeCapture(into) {
  const layers = (await readdir(into.directory).catch(() => [])).filter((name) => /^layer-\d+\./.test(name));
  const paths = [into.memory, into.devices, into.disk, into.overlaySeed, snapshotRecordPath(into.directory)];
  const copies = [...paths, ...layers.map((name) => join8(into.directory, name))].map((path18) => `${path18}.new`);
  await Promise.all(
    [...paths, ...copies, ...layers.map((name) => join8(into.directory, name))].map((path18) => rm4(path18, { force: true }))
  );
}
async function replaceByCopy(runner, path18, signal) {
  const copy = `${path18}.new`;
  const args = ["--reflink=auto", "--sparse=always", "--", path18, copy];
  await runChecked(runner, "cp", args, { timeoutMs: copyTimeoutMs, ...signal === void 0 ? {} : { signal } });
  await chmod4(copy, 256);
  await rename3(copy, path18);
}

// hostd/vmm/qemu/exit-record.ts
import { open as open5, readFile as readFile4 } from "node:fs/promises";
import { constants as constants4 } from "node:os";
import { join as join9 } from "node:path";
var tailBytes = 4096;
var exitSchema = external_exports.object({
  exitCode: external_exports.number().int().nullable(),
  signalNumber: external_exports.number().int().nullable(),
  cpuSeconds: external_exports.number(),
  peakMemoryKiB: external_exports.number(),
  killRequested: external_exports.boolean()
});
async function readExit(directory) {
  const text = await readFile4(join9(directory, machineFiles.exit), "utf8").catch(() => void 0);
  if (text === void 0) return void 0;
  const parsed = exitSchema.safeParse(parseJson4(text));
  if (!parsed.success) return void 0;
  const record = parsed.data;
  const consoleText = await readTail(directory, machineFiles.console);
  return {
    exitCode: record.exitCode,
    signal: record.signalNumber === null ? null : signalName(record.signalNumber),
    cpuSeconds: record.cpuSeconds,
    peakMemoryMiB: Math.ceil(record.peakMemoryKiB / 1024),
    cause: causeOf(record, consoleText),
    consoleTail: await readConsoleTail(directory)
  };
}
async function unrecordedExit(directory) {
  const consoleTail = await readConsoleTail(directory);
  return { exitCode: null, signal: null, cpuSeconds: 0, peakMemoryMiB: 0, cause: "unknown", consoleTail };
}
function causeOf(record, consoleText) {
  if (record.killRequested) return "killed-by-us";
  if (record.signalNumber === constants4.signals.SIGKILL) return "vmm-killed";
  if (record.signalNumber !== null || record.exitCode !== 0) return "vmm-crashed";
  return consoleText.includes("Kernel panic") ? "guest-panic" : "guest-shutdown";
}
async function readConsoleTail(directory) {
  const [guest, vmm] = await Promise.all([
    readTail(directory, machineFiles.console),
    readTail(directory, machineFiles.vmmLog)
  ]);
  const said = vmm.trim() === "" ? "" : `
VMM: ${vmm.trim().slice(-tailBytes / 2)}`;
  return (guest.slice(-(tailBytes - said.length)) + said).slice(-tailBytes);
}
async function readTail(directory, parts) {
  let text = "";
  for (const name of [parts.tail, parts.older, parts.head]) {
    text = await readLast(join9(directory, name), 2 * tailBytes) + text;
    if (text.length >= tailBytes) break;
  }
  return text.replaceAll("\r", "").replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "�");
}
async function readLast(path18, most) {
  const file = await open5(path18).catch(() => void 0);
  if (file === void 0) return "";
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, most));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
function signalName(number) {
  const found = Object.entries(constants4.signals).find(([, value]) => value === number);
  return found === void 0 ? `signal ${String(number)}` : found[0];
}
function parseJson4(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}

// hostd/vmm/qemu/unix-socket.ts
import { open as open6 } from "node:fs/promises";
import { createConnection } from "node:net";
import { basename, dirname as dirname3 } from "node:path";
var maxSocketPathBytes = 107;
async function connectUnix(path18) {
  if (Buffer.byteLength(path18) <= maxSocketPathBytes) return connected(path18);
  const folder = await open6(dirname3(path18), "r");
  try {
    return await connected(`/proc/self/fd/${String(folder.fd)}/${basename(path18)}`);
  } finally {
    await folder.close();
  }
}
function connected(path18) {
  return new Promise((resolve2, reject) => {
    const socket = createConnection({ path: path18 });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve2(socket);
    });
  });
}

// hostd/vmm/qemu/qmp-client.ts
var maxLineBytes = 1 << 20;
var messageSchema = external_exports.union([
  external_exports.object({ QMP: external_exports.unknown() }),
  external_exports.object({ return: external_exports.unknown(), id: external_exports.number().int() }),
  external_exports.object({ error: external_exports.object({ class: external_exports.string(), desc: external_exports.string() }), id: external_exports.number().int().optional() }),
  external_exports.object({ event: external_exports.string(), data: external_exports.record(external_exports.string(), external_exports.unknown()).optional() })
]);
var QmpError = class extends Error {
  command;
  errorClass;
  constructor(command, errorClass, description) {
    super(`${command}: ${description}`);
    this.name = "QmpError";
    this.command = command;
    this.errorClass = errorClass;
  }
};
var QmpClient = class _QmpClient {
  #socket;
  #onEvent;
  #greeting = Promise.withResolvers();
  #pending = /* @__PURE__ */ new Map();
  #nextId = 1;
  #unread = [];
  #unreadBytes = 0;
  #ended;
  constructor(socket, onEvent) {
    this.#socket = socket;
    this.#onEvent = onEvent;
    this.#greeting.promise.catch(() => void 0);
    socket.on("data", (bytes) => this.#take(bytes));
    socket.on("error", (error) => this.#end(error));
    socket.on("close", () => this.#end(new Error("the VMM closed its monitor")));
  }
  /** Connects and negotiates. Rejects when QEMU does not greet within `timeoutMs`. */
  static async connect(path18, timeoutMs2, onEvent = () => void 0) {
    const client = new _QmpClient(await connectUnix(path18), onEvent);
    const timer = setTimeout(
      () => client.#end(new Error(`no greeting from the VMM within ${String(timeoutMs2)} ms`)),
      timeoutMs2
    );
    try {
      await client.#greeting.promise;
      await client.execute("qmp_capabilities", {}, external_exports.unknown(), timeoutMs2);
      return client;
    } catch (error) {
      client.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
  /** Runs one command; the answer is checked against `schema`. Rejects with a QmpError when QEMU refuses, with another Error on time-out or loss. */
  async execute(command, args, schema, timeoutMs2 = 1e4) {
    if (this.#ended !== void 0) throw this.#ended;
    const id = this.#nextId++;
    const answer = await new Promise((resolve2, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new Error(`${command}: no answer within ${String(timeoutMs2)} ms`));
      }, timeoutMs2);
      this.#pending.set(id, { command, resolve: resolve2, reject, timer });
      this.#socket.write(`${JSON.stringify({ execute: command, arguments: args, id })}
`);
    });
    return schema.parse(answer);
  }
  /** Ends the session; the machine goes on. */
  close() {
    this.#end(new Error("the monitor session was closed"));
  }
  #end(error) {
    if (this.#ended !== void 0) return;
    this.#ended = error;
    this.#socket.destroy();
    this.#greeting.reject(error);
    for (const { command, reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new Error(`${command}: ${error.message}`, { cause: error }));
    }
    this.#pending.clear();
  }
  #take(bytes) {
    let rest = bytes;
    for (let end = rest.indexOf(10); end >= 0 && this.#ended === void 0; end = rest.indexOf(10)) {
      const line = Buffer.concat([...this.#unread, rest.subarray(0, end)]);
      this.#unread = [];
      this.#unreadBytes = 0;
      rest = rest.subarray(end + 1);
      this.#dispatch(line.toString("utf8"));
    }
    this.#unread.push(rest);
    this.#unreadBytes += rest.length;
    if (this.#unreadBytes > maxLineBytes) this.#end(new Error("the VMM sent an endless line"));
  }
  #dispatch(line) {
    const parsed = messageSchema.safeParse(parseJson5(line));
    if (!parsed.success) {
      this.#end(new Error("the VMM sent a message that is not QMP"));
      return;
    }
    const message = parsed.data;
    if ("QMP" in message) this.#greeting.resolve(void 0);
    else if ("event" in message) this.#onEvent({ name: message.event, data: message.data ?? {} });
    else if ("error" in message) {
      const pending = this.#settle(message.id);
      pending?.reject(new QmpError(pending.command, message.error.class, message.error.desc));
    } else this.#settle(message.id)?.resolve(message.return);
  }
  #settle(id) {
    if (id === void 0) return void 0;
    const pending = this.#pending.get(id);
    clearTimeout(pending?.timer);
    this.#pending.delete(id);
    return pending;
  }
};
function parseJson5(line) {
  try {
    return JSON.parse(line);
  } catch {
    return void 0;
  }
}

// hostd/vmm/qemu/terminate.ts
import { readFile as readFile5, rm as rm5 } from "node:fs/promises";
import { join as join10 } from "node:path";
var defaultTimes = { politeMs: 2e3, goneMs: 15e3 };
async function terminateMachine(directory, record, times = defaultTimes) {
  await rm5(join10(directory, machineFiles.spec), { force: true });
  const launchers = dedupe([await recordedProcess(directory, machineFiles.launcherPid), await ofThisBoot(record)]);
  for (const launcher of launchers) await signalProcess(launcher, "SIGTERM");
  if (!await allGone(launchers, times.politeMs)) {
    for (const launcher of launchers) await signalProcess(launcher, "SIGKILL");
  }
  const vmm = await recordedProcess(directory, machineFiles.vmmPid);
  const all = vmm === void 0 ? launchers : [...launchers, vmm];
  if (vmm !== void 0) await signalProcess(vmm, "SIGKILL");
  if (await allGone(all, times.goneMs)) return;
  const pids = all.map((process2) => process2.pid).join(", ");
  throw new Error(`processes ${pids} of ${directory} are still there ${String(times.goneMs)} ms after SIGKILL`);
}
async function recordedProcess(directory, file) {
  const text = await readFile5(join10(directory, file), "utf8").catch(() => "");
  const [, pid, startTicks, bootId] = /^(\d+) (\d+) (\S+)\s*$/.exec(text) ?? [];
  if (pid === void 0 || bootId !== await hostBootId()) return void 0;
  return { pid: Number(pid), startTicks: Number(startTicks) };
}
async function ofThisBoot(record) {
  return record !== void 0 && record.bootId === await hostBootId() ? record.launcher : void 0;
}
function dedupe(identities) {
  const known = identities.filter((identity2) => identity2 !== void 0);
  return known.filter(
    (identity2, at) => known.findIndex((other) => other.pid === identity2.pid && other.startTicks === identity2.startTicks) === at
  );
}
async function allGone(identities, timeoutMs2) {
  const began = performance.now();
  for (; ; ) {
    const alive = await Promise.all(identities.map(isAlive));
    if (!alive.includes(true)) return true;
    const waitedMs = performance.now() - began;
    if (waitedMs >= timeoutMs2) return false;
    await new Promise((resolve2) => setTimeout(resolve2, waitedMs < 100 ? 2 : 25));
  }
}

// hostd/vmm/qemu/machine-monitor.ts
var defaultConnectTimeoutMs = 1e4;
var statusSchema = external_exports.object({ status: external_exports.string(), running: external_exports.boolean() });
var anything = external_exports.unknown();
var MachineMonitor = class {
  #directory;
  #connectTimeoutMs;
  #last = Promise.resolve();
  constructor(directory, connectTimeoutMs = defaultConnectTimeoutMs) {
    this.#directory = directory;
    this.#connectTimeoutMs = connectTimeoutMs;
  }
  /** Runs `work` in a session of its own, after those that asked before. Throws `sandbox-not-running` when the VMM has ended. */
  async session(work, onEvent) {
    const turn = this.#last.then(() => this.#run(work, onEvent));
    this.#last = turn.catch(() => void 0);
    return turn;
  }
  async #run(work, onEvent) {
    try {
      const qmp = await QmpClient.connect(qmpSocketPath(this.#directory), this.#connectTimeoutMs, onEvent);
      try {
        return await work(qmp);
      } finally {
        qmp.close();
      }
    } catch (error) {
      if (await this.#vmmLives()) throw error;
      throw new OffshootError("sandbox-not-running", { message: "The VMM of the sandbox has ended.", cause: error });
    }
  }
  async #vmmLives() {
    const vmm = await recordedProcess(this.#directory, machineFiles.vmmPid);
    return vmm !== void 0 && await isAlive(vmm);
  }
};
async function readStatus(qmp) {
  return qmp.execute("query-status", {}, statusSchema);
}

// hostd/vmm/qemu/feed-capture.ts
var loadTimeoutMs = 3e4;
var startTimeoutMs = 6e4;
async function feedCapture(directory, version, capture) {
  await new MachineMonitor(directory, startTimeoutMs).session(async (qmp) => {
    await capture.complete;
    await qmp.execute("migrate-incoming", { uri: incomingUri(version) }, anything, loadTimeoutMs);
  });
}

// hostd/vmm/qemu/freeze.ts
import { chown as chown5, mkdir, rename as rename4, copyFile as copyFile5, rm as rm6 } from "node:fs/promises";
import { join as join11 } from "node:path";

// hostd/platform/fault-points.ts
var named = process.env.OFFSHOOT_FAULT;
var remaining = Number(process.env.OFFSHOOT_FAULT_AFTER ?? "0");
var handler;
function faultPoint(point) {
  if (named === point && remaining-- <= 0) process.kill(process.pid, "SIGKILL");
  return handler?.(point);
}

// hostd/vmm/qemu/duplicate.ts
var saveTimeoutMs = 3e4;
async function duplicate(qmp, { freezer, current, next }, { running, wake }) {
  const lap = stopwatch();
  try {
    if (running) await qmp.execute("stop", {}, anything, saveTimeoutMs);
    const stopMs = lap();
    await saveDevices(qmp);
    const saveMs = lap();
    await faultPoint("capture.stopped");
    const method = await freezer.freeze();
    const freezeMs = lap();
    await faultPoint("capture.frozen");
    await qmp.execute("blockdev-snapshot", { node: current.node, overlay: next.node }, anything);
    await faultPoint("capture.switched");
    if (wake) await qmp.execute("cont", {}, anything);
    const switchMs = lap();
    return { method, pausedMs: stopMs + saveMs + freezeMs + switchMs, parts: { stopMs, saveMs, freezeMs, switchMs } };
  } catch (error) {
    if (running) await qmp.execute("cont", {}, anything).catch(() => void 0);
    throw error;
  }
}
async function saveDevices(qmp) {
  const filename = machineFiles.devices;
  await qmp.execute("xen-save-devices-state", { filename, live: false }, anything, saveTimeoutMs);
}
function stopwatch() {
  let last = performance.now();
  return () => {
    const now = performance.now();
    const lapMs = now - last;
    last = now;
    return lapMs;
  };
}

// hostd/vmm/qemu/freeze.ts
var saveTimeoutMs2 = 3e4;
async function saveAndQuit(monitor) {
  await monitor.session(async (qmp) => {
    await qmp.execute("stop", {}, anything, saveTimeoutMs2);
    const { status } = await readStatus(qmp);
    if (status !== "paused") throw new Error(`the machine can't be saved in the state ${status}`);
    await saveDevices(qmp);
    await qmp.execute("quit", {}, anything, saveTimeoutMs2).catch(() => void 0);
  });
}
async function completeSnapshot({ into, machineDirectory, version }) {
  const machine = await readMachineRecord(machineDirectory);
  const [overlay, ...below] = machine.chain.map((layer) => absoluteLayer(machineDirectory, layer));
  if (overlay === void 0) throw new Error("the record of the machine names no disk");
  await mkdir(into.directory, { recursive: true });
  await moveFile(join11(machineDirectory, machineFiles.devices), into.devices);
  await moveFile(overlay.path, into.disk);
  await moveFile(join11(machineDirectory, machineFiles.overlaySeed), into.overlaySeed);
  for (const path18 of [into.devices, into.disk]) await sealFile(path18);
  await chown5(into.overlaySeed, 0, 0);
  const linked = await Promise.all(
    below.map(async (layer, index) => {
      const name = layerFile(below.length - 1 - index, layer.format);
      return { ...layer, path: await linkOrStay(layer.path, join11(into.directory, name)) };
    })
  );
  const { hardware, gid } = machine;
  await openToVmms(into.memory, { memoryMiB: hardware.memoryMiB, gid, version });
  await syncFiles([into.memory, into.devices, into.disk, into.overlaySeed]);
  const layers = [{ path: into.disk, format: "qcow2", sealed: true }, ...linked];
  const memoryStamp = await stampMemory(into.memory);
  await syncFiles([
    await writeSnapshotRecord(into.directory, { hardware, layers, foundation: layers.length, memoryStamp })
  ]);
}
async function moveFile(from, to) {
  try {
    await rename4(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
    await copyFile5(from, to);
    await rm6(from);
  }
}

// hostd/vmm/qemu/launch-machine.ts
var fileSlackMiB = 1024;
function launchSpec(host, launch, plan) {
  const largestMiB = Math.max(launch.shape.diskMiB, launch.shape.memoryMiB) + fileSlackMiB;
  const netnsPath = launch.network?.netnsPath;
  return {
    uid: launch.uid,
    gid: launch.gid,
    groups: host.kvmGid === void 0 ? [] : [host.kvmGid],
    ...netnsPath === void 0 ? {} : { netnsPath },
    limits: { core: 0, nofile: 1024, fsize: largestMiB * 2 ** 20, memlock: 0 },
    program: host.profile.program,
    // One malloc arena instead of one per thread: some MiB less for each machine.
    env: { PATH: "/usr/bin:/bin", MALLOC_ARENA_MAX: "1" },
    ...qemuCommandLine(host.profile, plan)
  };
}

// hostd/vmm/qemu/reconcile.ts
import { readdir as readdir2, rm as rm7 } from "node:fs/promises";
import { join as join12 } from "node:path";

// hostd/vmm/qemu/block-jobs.ts
import { setTimeout as sleep } from "node:timers/promises";
var jobsSchema = external_exports.array(external_exports.object({ device: external_exports.string() }));
var goneMs = 1e4;
async function stopJobs(qmp) {
  const deadline = performance.now() + goneMs;
  let asked = false;
  for (; ; ) {
    const jobs = await qmp.execute("query-block-jobs", {}, jobsSchema);
    if (jobs.length === 0) return;
    if (performance.now() > deadline) throw new Error("a job on the disk does not end");
    if (!asked) await Promise.all(jobs.map(({ device }) => cancel(qmp, device)));
    asked = true;
    await sleep(2);
  }
}
async function cancel(qmp, device) {
  await qmp.execute("block-job-cancel", { device, force: true }, anything).catch((error) => {
    if (!(error instanceof QmpError)) throw error;
  });
}

// hostd/vmm/qemu/reconcile.ts
var disksSchema = external_exports.array(
  external_exports.object({
    inserted: external_exports.object({ "node-name": external_exports.string(), backing_file_depth: external_exports.number().int() }).optional()
  })
);
var setsSchema = external_exports.array(external_exports.object({ "fdset-id": external_exports.number().int() }));
var nodesSchema = external_exports.array(external_exports.object({ "node-name": external_exports.string() }));
async function reconcile(qmp, directory) {
  const record = await readMachineRecord(directory);
  const { status } = await readStatus(qmp);
  if (status === "paused" && !record.paused) await qmp.execute("cont", {}, anything);
  await stopJobs(qmp);
  const now = { ...record, ...await readChain(qmp, record) };
  await writeMachineRecord(directory, now);
  await dropUnused(qmp, directory, now);
}
async function readChain(qmp, record) {
  const disks = await qmp.execute("query-block", {}, disksSchema);
  const disk = disks.find(({ inserted }) => inserted !== void 0)?.inserted;
  if (disk === void 0) throw new Error("the machine has no disk");
  const top = disk["node-name"];
  let { chain, nextOverlay } = record;
  if (top === `overlay-${String(nextOverlay)}`) {
    chain = [{ node: top, path: `${top}.qcow2`, format: "qcow2", sealed: false, fdset: null }, ...chain];
    nextOverlay += 1;
  }
  if (chain[0]?.node !== top) throw new Error(`the machine writes to ${top}, which its record does not know`);
  if (disk.backing_file_depth === chain.length - 1) return { chain, nextOverlay };
  if (disk.backing_file_depth === record.foundation) return { chain: merged({ ...record, chain }), nextOverlay };
  throw new Error(
    `the machine has ${String(disk.backing_file_depth)} layers and its record ${String(chain.length - 1)}`
  );
}
function merged({ chain, foundation }) {
  return [...chain.slice(0, 1), ...chain.slice(chain.length - foundation)];
}
async function dropUnused(qmp, directory, record) {
  const used = new Set(record.chain.map(({ node }) => node));
  const nodes = await qmp.execute("query-named-block-nodes", { flat: true }, nodesSchema);
  const unused = nodes.map((node) => node["node-name"]).filter((name) => /^(overlay|layer)-\d+$/.test(name) && !used.has(name));
  await deleteNodes(qmp, unused);
  const sets = new Set(record.chain.map(({ fdset: fdset2 }) => fdset2));
  for (const { "fdset-id": fdset2 } of await qmp.execute("query-fdsets", {}, setsSchema)) {
    if (fdset2 >= firstLayerDescriptor && !sets.has(fdset2))
      await qmp.execute("remove-fd", { "fdset-id": fdset2 }, anything);
  }
  const kept = new Set([...record.chain, ...record.hibernated ?? []].map(({ path: path18 }) => path18));
  for (const name of await readdir2(directory)) {
    if (/^(overlay|layer)-\d+\.(qcow2|raw)$/.test(name) && !kept.has(name)) await rm7(join12(directory, name));
  }
}
async function deleteNodes(qmp, names3) {
  let left = [...names3];
  while (left.length > 0) {
    const refused2 = [];
    for (const name of left) {
      await qmp.execute("blockdev-del", { "node-name": name }, anything).catch((error) => {
        if (!(error instanceof QmpError)) throw error;
        refused2.push(name);
      });
    }
    if (refused2.length === left.length) throw new Error(`QEMU does not let go of ${refused2.join(", ")}`);
    left = refused2;
  }
}

// hostd/vmm/qemu/compaction.ts
var longChain = 6;
var longestChain = 12;
function layersToMerge({ chain, foundation }) {
  return chain.length - 1 - foundation;
}
async function compactChain(monitor, directory, signal) {
  const ended = Promise.withResolvers();
  const onEvent = ({ name }) => {
    if (name === "BLOCK_JOB_COMPLETED" || name === "BLOCK_JOB_CANCELLED") ended.resolve(void 0);
  };
  const onAbort = () => ended.resolve(void 0);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await monitor.session(async (qmp) => {
      if (signal.aborted) return;
      const record = await readMachineRecord(directory);
      const base = record.chain.at(-record.foundation);
      const [top] = record.chain;
      if (top === void 0 || base === void 0 || layersToMerge(record) < 1) return;
      await writeMachineRecord(directory, { ...record, hibernated: null });
      const job = { "job-id": "compact", device: top.node, "base-node": base.node };
      await qmp.execute("block-stream", job, anything);
      await ended.promise;
      await faultPoint("compact.streamed");
      await reconcile(qmp, directory);
    }, onEvent);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

// hostd/vmm/qemu/freeze-error.ts
function asFreezeError(error, signal) {
  if (signal?.aborted === true)
    return error instanceof OffshootError && error.code === "aborted" ? error : aborted(error);
  if (!(error instanceof Error) || error instanceof OffshootError) return error;
  const code = "code" in error ? error.code : void 0;
  const text = error instanceof CommandError ? error.result.stderr : error.message;
  if (code === "ENOSPC" || code === "EDQUOT" || /No space left on device|Disk quota exceeded/.test(text)) {
    return new OffshootError("host-disk-full", { cause: error });
  }
  const message = `The sandbox could not be duplicated: ${error.message}`;
  return new OffshootError("freeze-failed", { message, cause: error });
}
function aborted(cause) {
  return new OffshootError("aborted", { cause });
}

// hostd/vmm/qemu/hibernate.ts
import { join as join14 } from "node:path";

// hostd/vmm/qemu/capture-preparation.ts
import { rm as rm8 } from "node:fs/promises";
import { join as join13 } from "node:path";
async function prepareCapture(source, qmp, record, into, how) {
  const { directory } = source;
  const [current] = record.chain;
  if (current === void 0) throw new Error("the record of the machine names no disk");
  const opening = openFreezer(source, record, into, how);
  const [opened, ...others] = await Promise.allSettled([
    opening,
    linkDisk(directory, record, into),
    addOverlay(directory, qmp, record),
    prepareDevicesFile(directory, record)
  ]);
  const failed = [opened, ...others].find((result) => result.status === "rejected");
  const [linked, added] = others;
  if (opened.status === "fulfilled" && linked.status === "fulfilled" && added.status === "fulfilled" && failed === void 0) {
    return { freezer: opened.value, current, next: added.value, layers: linked.value };
  }
  if (opened.status === "fulfilled") await opened.value.abandon();
  throw failed?.reason;
}
async function openFreezer(source, record, into, { method, options }) {
  const vmm = await recordedProcess(source.directory, machineFiles.vmmPid);
  if (vmm === void 0) throw new Error("there is no record of the VMM");
  const { minAvailableMiB, signal } = options;
  const freezer = await source.openFreezer({
    source: vmm,
    basePath: `/proc/${String(vmm.pid)}/fd/${String(memoryDescriptor)}`,
    imagePath: into.memory,
    method,
    minAvailableMiB,
    ...signal === void 0 ? {} : { signal }
  });
  try {
    const { memoryMiB } = record.hardware;
    await openToVmms(into.memory, { memoryMiB, gid: record.gid, version: source.version });
    return freezer;
  } catch (error) {
    await freezer.abandon();
    throw error;
  }
}
async function addOverlay(directory, qmp, record) {
  const file = overlayFile(record.nextOverlay);
  const node = `overlay-${String(record.nextOverlay)}`;
  const path18 = join13(directory, file);
  await rm8(path18, { force: true });
  await copyOverlay(join13(directory, machineFiles.overlaySeed), path18, record);
  await qmp.execute("blockdev-add", overlayNode({ node, file }, null), anything);
  return { node, path: file, format: "qcow2", sealed: false, fdset: null };
}

// hostd/vmm/qemu/qemu-capture.ts
var QemuCapture = class {
  files;
  pausedMs;
  method;
  complete;
  saved;
  pauseParts;
  constructor(facts) {
    this.files = facts.files;
    this.pausedMs = facts.pausedMs;
    this.method = facts.method;
    this.complete = facts.complete;
    this.saved = facts.saved;
    this.pauseParts = facts.pauseParts;
    this.complete.catch(() => void 0);
  }
};

// hostd/vmm/qemu/machine-capture.ts
async function captureMachine(tools2, qmp, into, options) {
  const { directory } = tools2;
  let freezer;
  try {
    options.signal?.throwIfAborted();
    const record = await readMachineRecord(directory);
    requireCapturable(record);
    const { running } = await readStatus(qmp);
    const prepared = await prepareCapture(tools2, qmp, record, into, { method: tools2.method, options });
    freezer = prepared.freezer;
    await faultPoint("capture.prepared");
    options.signal?.throwIfAborted();
    const wake = running && options.wake;
    const { pausedMs, method, parts, woken } = await duplicateBetween(qmp, prepared, { running, wake, options });
    await writeMachineRecord(directory, switched(record, prepared, running ? !wake : record.paused));
    await faultPoint("capture.woken");
    await sealFile(into.disk);
    await takeDevices(directory, into);
    await woken;
    return new QemuCapture({
      ...{ files: into, method, pauseParts: parts },
      pausedMs: running ? pausedMs : 0,
      saved: { hardware: record.hardware, layers: prepared.layers, foundation: record.foundation },
      complete: finish(tools2, { record, prepared, into, options })
    });
  } catch (error) {
    await freezer?.abandon();
    await removeCapture(into);
    await reconcile(qmp, directory).catch(() => void 0);
    throw asFreezeError(error, options.signal);
  }
}
async function duplicateBetween(qmp, prepared, { running, wake, options }) {
  const wakeUp = () => {
    const woken = options.afterWake?.();
    woken?.catch(() => void 0);
    return woken;
  };
  try {
    await options.beforeStop?.();
    const duplicated = await duplicate(qmp, prepared, { running, wake });
    return { ...duplicated, woken: wakeUp() };
  } catch (error) {
    await wakeUp();
    throw error;
  }
}
function requireCapturable({ capturable }) {
  if (capturable) return;
  throw new OffshootError("freeze-failed", { message: "A template in the making can not be duplicated." });
}
function switched(record, { next }, paused) {
  return { ...record, chain: [next, ...record.chain], nextOverlay: record.nextOverlay + 1, paused };
}
async function finish(tools2, { record, prepared, into, options }) {
  try {
    const { touchedBytes, imageBytes } = await prepared.freezer.write();
    await faultPoint("capture.written");
    const layers = options.durable ? await makeDurable(tools2.runner, into, prepared.layers, options.signal) : prepared.layers;
    options.signal?.throwIfAborted();
    await recordSnapshot(into, { record, layers, durable: options.durable });
    return { imageMiB: toMiB(imageBytes), touchedMiB: toMiB(touchedBytes) };
  } catch (error) {
    await prepared.freezer.abandon();
    await removeCapture(into);
    throw asFreezeError(error, options.signal);
  }
}
async function recordSnapshot(into, { record, layers, durable }) {
  const memoryStamp = await stampMemory(into.memory);
  const { hardware, foundation } = record;
  const path18 = await writeSnapshotRecord(into.directory, { hardware, foundation, layers: [...layers], memoryStamp });
  if (durable) await syncFiles([path18]);
}
function toMiB(bytes) {
  return Math.ceil(bytes / 2 ** 20);
}

// hostd/vmm/qemu/hibernate.ts
var quitMs = 1e4;
async function hibernateMachine(source, qmp, into, ended) {
  const { directory } = source;
  let freezer;
  let saved = false;
  try {
    const record = await readMachineRecord(directory);
    const { status } = await readStatus(qmp);
    if (status !== "paused" || !record.paused) throw new Error(`the machine is not paused but ${status}`);
    await prepareDevicesFile(directory, record);
    await saveDevices(qmp);
    await faultPoint("hibernate.saved");
    freezer = await openFreezer(source, record, into, { method: "copy", options: { minAvailableMiB: 0 } });
    await freezer.freeze();
    const { imageBytes, touchedBytes } = await freezer.write();
    await takeDevices(directory, into);
    const chain = sealed(record.chain);
    const layers = await linkDisk(directory, { ...record, chain }, into);
    await syncFiles([into.memory, into.devices, into.overlaySeed, ...overlaysOf(directory, record)]);
    await recordSnapshot(into, { record, layers, durable: true });
    await writeMachineRecord(directory, { ...record, hibernated: chain }, true);
    await faultPoint("hibernate.written");
    saved = true;
    await quit(qmp, directory, ended);
    await syncFiles(overlaysOf(directory, record));
    await sealFile(into.disk);
    await faultPoint("hibernate.ended");
    return { imageMiB: toMiB(imageBytes), touchedMiB: toMiB(touchedBytes) };
  } catch (error) {
    await freezer?.abandon();
    if (!saved) await removeCapture(into);
    throw asFreezeError(error);
  }
}
async function quit(qmp, directory, ended) {
  await qmp.execute("quit", {}, anything, quitMs).catch(() => void 0);
  const late = new Promise((resolve2) => setTimeout(resolve2, quitMs, "late").unref());
  if (await Promise.race([ended, late]) === "late") await terminateMachine(directory, void 0);
}
function sealed(chain) {
  return chain.map((layer) => layer.fdset === null ? { ...layer, sealed: true } : layer);
}
function overlaysOf(directory, { chain }) {
  return chain.filter(({ fdset: fdset2 }) => fdset2 === null).map(({ path: path18 }) => join14(directory, path18));
}

// hostd/vmm/qemu/machine-control.ts
var defaultQuietMs = 3e3;
var MachineControl = class {
  #tools;
  #monitor;
  #over = new AbortController();
  #captures = Promise.resolve();
  #compaction;
  #quiet;
  constructor(tools2) {
    this.#tools = tools2;
    this.#monitor = new MachineMonitor(tools2.directory);
  }
  async pause() {
    await this.#interrupt();
    await this.#monitor.session(async (qmp) => {
      await qmp.execute("stop", {}, anything);
      await this.#change({ paused: true });
    });
  }
  async resume() {
    await this.#monitor.session(async (qmp) => {
      await this.#change({ paused: false });
      await qmp.execute("cont", {}, anything);
    });
    this.compactSoon();
  }
  /** One at a time, its image included. */
  capture(into, options) {
    const capture = this.#captures.then(() => this.#capture(into, options));
    this.#captures = capture.then(({ complete }) => complete).catch(() => void 0);
    return capture;
  }
  /** `ended` resolves when the VMM has. */
  async hibernate(into, ended) {
    await this.#captures;
    await this.#interrupt();
    return this.#monitor.session((qmp) => hibernateMachine(this.#tools, qmp, into, ended));
  }
  /** Takes up what an earlier hostd left half done. */
  async recover() {
    await this.#monitor.session((qmp) => reconcile(qmp, this.#tools.directory));
    this.compactSoon();
  }
  /** Merges the disk's layers once the machine has been left alone for a while, if there are many. */
  compactSoon() {
    clearTimeout(this.#quiet);
    if (this.#over.signal.aborted) return;
    this.#quiet = setTimeout(
      () => void this.#compact(longChain).catch(() => void 0),
      this.#tools.quietMs ?? defaultQuietMs
    );
    this.#quiet.unref();
  }
  /** No more work of its own: the machine has ended, or hostd goes. */
  release() {
    this.#over.abort();
    clearTimeout(this.#quiet);
    this.#compaction?.giveUp.abort();
  }
  async #capture(into, options) {
    await this.#interrupt();
    try {
      await this.#compact(longestChain);
      const method = await this.#tools.method();
      const tools2 = { ...this.#tools, method };
      const capture = await this.#monitor.session((qmp) => captureMachine(tools2, qmp, into, options));
      void capture.complete.catch(() => void 0).then(() => this.compactSoon());
      return capture;
    } catch (error) {
      throw asFreezeError(error, options.signal);
    }
  }
  async #compact(most) {
    const record = await readMachineRecord(this.#tools.directory);
    if (layersToMerge(record) <= most || this.#over.signal.aborted) return;
    const giveUp = new AbortController();
    const work = compactChain(this.#monitor, this.#tools.directory, giveUp.signal);
    this.#compaction = { work, giveUp };
    await work.finally(() => this.#compaction = void 0);
  }
  async #interrupt() {
    clearTimeout(this.#quiet);
    this.#compaction?.giveUp.abort();
    await this.#compaction?.work.catch(() => void 0);
  }
  async #change(change) {
    const { directory } = this.#tools;
    const record = await readMachineRecord(directory);
    await writeMachineRecord(directory, { ...record, ...change });
  }
};

// hostd/vmm/qemu/plan-restore.ts
import { readdir as readdir3, rm as rm9 } from "node:fs/promises";
import { join as join15 } from "node:path";
async function planRestore(launch, start, parts) {
  const { shape, network } = launch;
  const saved = start.capture instanceof QemuCapture ? start.capture.saved : await readWhole(start);
  const { restorable, reason: reason2 } = compatibilityOf(saved.hardware.origin, parts.origin);
  if (restorable === "no") throw refusal("snapshot-mismatch", `The snapshot can not be restored here. ${reason2}`);
  const link6 = network === void 0 ? null : { guestMac: network.guestMac, mtu: network.mtu };
  requireSameHardware(saved.hardware, { cpus: shape.cpus, memoryMiB: shape.memoryMiB, link: link6 });
  const disk = start.overlay === "continue" ? await continuedDisk(launch) : await freshDisk(launch, start, saved);
  const { snapshot, capture } = start;
  const result = planned(launch, parts, {
    ...disk,
    foundation: saved.foundation,
    memory: { kind: "private-copy", path: snapshot.memory },
    boot: { kind: "restore", devices: snapshot.devices, deferred: capture !== void 0 }
  });
  return start.overlay === "continue" ? keepHibernated(launch, result) : result;
}
async function readWhole({ snapshot, capture }) {
  await capture?.complete;
  return readSnapshotRecord(snapshot);
}
async function freshDisk(launch, { snapshot }, saved) {
  const seed = join15(launch.directory, machineFiles.overlaySeed);
  const layers = await linkLayers(launch.directory, saved.layers);
  await linkOrCopy(snapshot.overlaySeed, seed);
  await copyOverlay(seed, join15(launch.directory, overlayFile(0)), launch);
  return { layers, overlay: 0 };
}
async function continuedDisk({ directory, uid, gid }) {
  const record = await readMachineRecord(directory).catch((error) => {
    throw refusal("overlay-missing", "The machine’s own disk is not in its folder.", error);
  });
  const vmm = await recordedProcess(directory, machineFiles.vmmPid);
  if (vmm !== void 0 && await isAlive(vmm)) throw refusal("still-running", "The machine has not ended.");
  const saved = record.hibernated;
  if (saved === null) throw refusal("overlay-missing", "The machine was not saved with its disk in its folder.");
  const kept = new Set(saved.map(({ path: path18 }) => path18));
  for (const name of await readdir3(directory)) {
    if (/^overlay-\d+\.qcow2$/.test(name) && !kept.has(name)) await rm9(join15(directory, name));
  }
  const [top] = saved;
  if (top !== void 0) await sealFile(join15(directory, top.path));
  const overlay = 1 + Math.max(...saved.map(({ path: path18 }) => Number(/^overlay-(\d+)\./.exec(path18)?.[1] ?? -1)));
  await copyOverlay(join15(directory, machineFiles.overlaySeed), join15(directory, overlayFile(overlay)), { uid, gid });
  return { layers: saved.map((layer) => absoluteLayer(directory, layer)), overlay };
}
async function keepHibernated({ directory }, result) {
  const { hibernated } = await readMachineRecord(directory);
  return { ...result, record: { ...result.record, hibernated } };
}

// hostd/vmm/qemu/launch-spec.ts
function encodeLaunchSpec(spec) {
  const records = [
    ["uid", String(spec.uid)],
    ["gid", String(spec.gid)],
    ...spec.groups.map((group) => ["group", String(group)]),
    ...spec.netnsPath === void 0 ? [] : [["netns", spec.netnsPath]],
    ...spec.files.map((file) => [file.kind, `${String(file.number)}:${file.target}`]),
    ...Object.entries(spec.limits).map(([name, value]) => ["limit", `${name}:${String(value)}`]),
    ...Object.entries(spec.env).map(([name, value]) => ["env", `${name}=${value}`]),
    ...[spec.program, ...spec.args].map((word) => ["arg", word])
  ];
  return records.map(([key = "", value = ""]) => {
    if (value.includes("\0")) throw new TypeError(`launch spec: ${key} holds a NUL byte`);
    return `${key}=${value}\0`;
  }).join("");
}

// hostd/vmm/qemu/qemu-vm.ts
import { watch } from "node:fs";

// hostd/vmm/qemu/network-mark.ts
import { readFile as readFile6 } from "node:fs/promises";
async function networkMark(pid) {
  try {
    return `${String(pid)}${parseReceived(await readFile6(`/proc/${String(pid)}/net/dev`, "utf8"))}`;
  } catch {
    return void 0;
  }
}
function parseReceived(text) {
  return [...text.matchAll(/^\s*([^:\s]+):\s*\d+\s+(\d+)/gm)].map(([, name, packets]) => ` ${name}=${packets}`).join("");
}

// hostd/vmm/qemu/usage.ts
import { readFile as readFile7 } from "node:fs/promises";
var ticksPerSecond = 100;
async function processUsage(pid) {
  const folder = `/proc/${String(pid)}`;
  const [stat11, status, rollup] = await Promise.all(
    ["stat", "status", "smaps_rollup"].map((name) => readFile7(`${folder}/${name}`, "utf8"))
  );
  return parseUsage(stat11 ?? "", status ?? "", rollup ?? "");
}
function parseUsage(stat11, status, rollup) {
  const fields = stat11.slice(stat11.lastIndexOf(")") + 2).split(" ");
  const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
  return {
    cpuSeconds: (userTicks + systemTicks) / ticksPerSecond,
    peakMemoryMiB: Math.ceil(kibibytes(status, "VmHWM") / 1024),
    residentMiB: Math.ceil((kibibytes(rollup, "Pss") + kibibytes(rollup, "SwapPss")) / 1024)
  };
}
function kibibytes(text, name) {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text);
  return Number(match?.[1] ?? 0);
}

// hostd/vmm/qemu/qemu-vm.ts
var pollMs = 1e3;
var lastStepsMs = 2e3;
var QemuVm = class {
  record;
  agentSocketPath;
  exited;
  #control;
  #freeze;
  #released = new AbortController();
  #forget;
  #hibernating = false;
  constructor(options) {
    this.record = options.record;
    this.agentSocketPath = agentSocketPath(options.record.directory);
    this.#control = options.control;
    this.#freeze = options.freeze;
    this.#forget = options.started?.forget ?? (() => void 0);
    const gone = options.started?.ended ?? launcherGone(options.record, this.#released.signal);
    this.exited = gone.then(() => {
      this.#control.release();
      return this.#exit();
    });
  }
  async usage() {
    return processUsage((await this.#vmm()).pid);
  }
  async networkMark() {
    return networkMark((await this.#vmm()).pid);
  }
  consoleTail() {
    return readConsoleTail(this.record.directory);
  }
  async freezeInto(into) {
    if (this.#freeze === void 0) throw new Error("this machine was not started to be frozen");
    await this.#freeze(into);
  }
  pause() {
    return this.#control.pause();
  }
  resume() {
    return this.#control.resume();
  }
  capture(into, options) {
    return this.#control.capture(into, options);
  }
  async hibernateInto(into) {
    this.#hibernating = true;
    try {
      return await this.#control.hibernate(into, this.exited);
    } catch (error) {
      this.#hibernating = false;
      throw error;
    }
  }
  async kill() {
    await terminateMachine(this.record.directory, this.record);
    return this.#exit();
  }
  release() {
    this.#released.abort();
    this.#control.release();
    this.#forget();
  }
  // A machine that was saved ended because it was told to; to its launcher it looks as if the guest had shut down.
  async #exit() {
    const { directory } = this.record;
    const exit = await readExit(directory) ?? await unrecordedExit(directory);
    return this.#hibernating && exit.cause === "guest-shutdown" ? { ...exit, cause: "killed-by-us" } : exit;
  }
  async #vmm() {
    const vmm = await recordedProcess(this.record.directory, machineFiles.vmmPid);
    if (vmm !== void 0 && await isAlive(vmm)) return vmm;
    throw new OffshootError("sandbox-not-running", { message: "The VMM of the sandbox has ended." });
  }
};
async function launcherGone(record, released) {
  let wake = () => void 0;
  let quick = 0;
  released.addEventListener("abort", () => wake(), { once: true });
  const watcher = watchFolder(record.directory, (name) => {
    if (name !== machineFiles.exit) return;
    quick = performance.now() + lastStepsMs;
    wake();
  });
  try {
    while (!released.aborted && await isAlive(record.launcher)) {
      await new Promise((resolve2) => {
        const timer = setTimeout(resolve2, performance.now() < quick ? 5 : pollMs);
        timer.unref();
        wake = () => {
          clearTimeout(timer);
          resolve2();
        };
      });
    }
  } finally {
    watcher?.close();
  }
  if (released.aborted) await new Promise(() => void 0);
}
function watchFolder(directory, onName) {
  try {
    const watcher = watch(directory, { persistent: false }, (_event, name) => onName(name));
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return void 0;
  }
}

// hostd/vmm/qemu/start-launcher.ts
import { spawn as spawn2 } from "node:child_process";
var LauncherError = class extends Error {
  constructor(message) {
    super(message);
    this.name = "LauncherError";
  }
};
async function startLauncher(program2, directory, onIdentity, timeoutMs2 = 1e4) {
  const child = spawn2(program2, [directory], { detached: true, stdio: ["ignore", "pipe", "ignore"], env: {}, cwd: "/" });
  const ended = new Promise((resolve2) => {
    child.once("exit", () => resolve2());
    child.once("error", () => resolve2());
  });
  const answer = firstLine(child.stdout, timeoutMs2);
  answer.catch(() => void 0);
  await new Promise((resolve2, reject) => {
    child.once("spawn", resolve2);
    child.once("error", reject);
  });
  try {
    const launcher = child.pid === void 0 ? void 0 : await identifyProcess(child.pid);
    if (launcher !== void 0) onIdentity(launcher);
    const line = await answer;
    const ready = /^ready (\d+) (\d+) (\d+) (\d+)$/.exec(line);
    if (ready === null) throw new LauncherError(line.replace(/^failed /, "") || "the launcher ended without a word");
    const [, pid, ticks, vmmPid, vmmTicks] = ready.map(Number);
    return { launcher: identity(pid, ticks), vmm: identity(vmmPid, vmmTicks), ended, forget: () => child.unref() };
  } catch (error) {
    child.kill("SIGTERM");
    throw error;
  }
}
function identity(pid = 0, startTicks = 0) {
  return { pid, startTicks };
}
function firstLine(stream, timeoutMs2) {
  return new Promise((resolve2, reject) => {
    let text = "";
    const finish2 = () => {
      clearTimeout(timer);
      stream.destroy();
      resolve2(text.split("\n")[0] ?? "");
    };
    const timer = setTimeout(() => {
      stream.destroy();
      reject(new Error(`the launcher did not answer within ${String(timeoutMs2)} ms`));
    }, timeoutMs2);
    stream.on("data", (chunk) => {
      text += chunk.toString("utf8");
      if (text.includes("\n")) finish2();
    });
    stream.on("end", finish2);
    stream.on("error", finish2);
  });
}

// hostd/vmm/qemu/start-error.ts
function asOffshootError(error) {
  if (!(error instanceof Error) || error instanceof OffshootError) return error;
  const code = "code" in error ? error.code : void 0;
  const text = error instanceof CommandError ? error.result.stderr : error.message;
  if (code === "ENOSPC" || code === "EDQUOT" || /No space left on device|Disk quota exceeded/.test(text)) {
    return new OffshootError("host-disk-full", { cause: error });
  }
  if (code === "ENOENT" && "syscall" in error && String(error.syscall).startsWith("spawn")) {
    return new OffshootError("tool-missing", { message: error.message, cause: error });
  }
  const reason2 = error instanceof LauncherError ? "launcher" : "vmm";
  return new OffshootError("boot-failed", {
    message: `The machine did not start: ${error.message}`,
    details: { reason: reason2 },
    cause: error
  });
}

// hostd/vmm/qemu/qemu-vmm.ts
var QemuVmm = class {
  features;
  emulatedFallback;
  #options;
  constructor(options) {
    this.#options = options;
    this.features = options.features;
    this.emulatedFallback = options.emulatedFallback;
  }
  async start(launch, onRecord) {
    try {
      return await this.#start(launch, onRecord);
    } catch (error) {
      throw asOffshootError(error);
    }
  }
  /** A machine that an earlier hostd left standing still, or half duplicated, goes on. */
  async adopt(record) {
    if (record.bootId !== await hostBootId()) return void 0;
    if (!await isAlive(record.launcher)) return readExit(record.directory);
    const control = this.#control(record.directory);
    await control.recover().catch(() => void 0);
    return new QemuVm({ record, control });
  }
  compatibility(recorded) {
    return compatibilityOf(recorded, this.#origin);
  }
  async isWhole(files) {
    try {
      const { layers } = await readSnapshotRecord(files);
      await Promise.all([files.devices, ...layers.map(({ path: path18 }) => path18)].map((path18) => access3(path18)));
      return true;
    } catch {
      return false;
    }
  }
  attest(files) {
    return attestMemory(files);
  }
  freezeMethod() {
    return this.#options.freezeMethod();
  }
  async destroy(directory, record) {
    await terminateMachine(directory, record);
  }
  get #origin() {
    const { name, version, machine, cpuModel, restoreKey: restoreKey2, isolation } = this.features;
    return { name, version, machine, cpuModel, restoreKey: restoreKey2, tier: isolation.tier };
  }
  async #start(launch, onRecord) {
    const { directory, gid } = launch;
    await chown6(directory, 0, gid);
    await chmod5(directory, 456);
    const { plan, record: machine } = await this.#plan(launch);
    await writeMachineRecord(directory, machine);
    const spec = encodeLaunchSpec(launchSpec(this.#options, launch, plan));
    await writeFile4(join16(directory, machineFiles.spec), spec, { mode: 384, flag: "wx" });
    const bootId = await hostBootId();
    const recordOf = (launcher) => ({ launcher, bootId, directory });
    const started = await startLauncher(
      this.#options.launcherProgram,
      directory,
      (identity2) => onRecord(recordOf(identity2))
    );
    return this.#running(launch, recordOf(started.launcher), started);
  }
  async #plan(launch) {
    const { runner, profile } = this.#options;
    const parts = { runner, version: profile.version, origin: this.#origin };
    const { start, directory } = launch;
    if (start.kind === "cold") return planCold(launch, start, parts);
    if (start.overlay === "continue") {
      for (const name of [machineFiles.spec, machineFiles.exit]) await rm10(join16(directory, name), { force: true });
    }
    return planRestore(launch, start, parts).catch(async (error) => {
      await start.capture?.complete;
      throw error;
    });
  }
  async #running(launch, record, started) {
    const { start, directory } = launch;
    const control = this.#control(directory);
    if (start.kind === "restore" && start.capture !== void 0) {
      try {
        await feedCapture(directory, this.#options.profile.version, start.capture);
      } catch (error) {
        await terminateMachine(directory, record);
        throw await asChildError(error, directory);
      }
    }
    const savable = start.kind === "cold" && start.memoryFile !== void 0;
    const freeze = (into) => this.#freeze(launch, vm, into);
    const vm = new QemuVm({ record, started, control, ...savable ? { freeze } : {} });
    control.compactSoon();
    return vm;
  }
  #control(directory) {
    const { profile, runner, openFreezer: openFreezer2 } = this.#options;
    const method = async () => (await this.freezeMethod()).method;
    return new MachineControl({ directory, version: profile.version, runner, openFreezer: openFreezer2, method });
  }
  async #freeze({ start, directory }, vm, into) {
    if (start.kind !== "cold" || start.memoryFile !== into.memory) {
      throw new Error("freezeInto: the memory file is not the one this machine was started with");
    }
    try {
      await saveAndQuit(new MachineMonitor(directory));
      const exit = await vm.exited;
      if (exit.exitCode !== 0)
        throw new Error(`the VMM ended with ${exit.signal ?? `exit code ${String(exit.exitCode)}`} while it was saved`);
      await completeSnapshot({ machineDirectory: directory, into, version: this.#options.profile.version });
    } catch (error) {
      await vm.kill();
      await removeCapture(into);
      throw asOffshootError(error);
    }
  }
};
async function asChildError(error, directory) {
  if (!isOffshootError(error) || error.code !== "sandbox-not-running") return error;
  const details = { reason: "vmm", console: await readConsoleTail(directory) };
  return new OffshootError("boot-failed", { message: "The VMM ended before it was restored.", details, cause: error });
}

// hostd/vmm/qemu/open-qemu-vmm.ts
var defaultKvmDeadlineMs = 3e3;
var cpuModels = { kvm: "host", tcg: "max,erms=off,fsrm=off,la57=off" };
async function reportQemu(options) {
  const qemu = await probeQemu(options.runner, options.qemuProgram);
  if (!("program" in qemu)) return { qemu, kvm: { works: false, reason: qemu.problem } };
  if (options.kvm === "off") return { qemu, kvm: { works: false, reason: "KVM is turned off in the configuration" } };
  const kvm = await probeKvm(options.runner, {
    qemuProgram: qemu.program,
    payload: join17(options.nativeDirectory, "kvm-probe.bin"),
    cpuModel: cpuModels.kvm,
    deadlineMs: options.kvmDeadlineMs ?? defaultKvmDeadlineMs
  });
  return { qemu, kvm };
}
async function openQemuVmm(options) {
  const { qemu, kvm } = await reportQemu(options);
  if (!("program" in qemu)) throw new OffshootError("tool-missing", { message: `${qemu.problem}.`, hint: qemu.mend });
  const host = parseCpuInfo(await readFile8("/proc/cpuinfo", "utf8"));
  const freezeMethod = once(() => probeFreezeMethod(join17(options.nativeDirectory, "freeze"), options.runner));
  const emulated = makeVmm(options, {
    qemu,
    host,
    freezeMethod,
    tscKhz: await measureTscKhz(options),
    accelerator: "tcg",
    isolation: { tier: "emulated", reason: kvm.works ? "KVM passed the probe but did not boot a kernel" : kvm.reason }
  });
  if (!kvm.works) return emulated;
  const parts = {
    qemu,
    host,
    freezeMethod,
    tscKhz: void 0,
    accelerator: "kvm",
    isolation: { tier: "kvm", reason: kvm.reason }
  };
  return makeVmm(options, {
    ...parts,
    emulatedFallback: emulated,
    ...kvm.gid === void 0 ? {} : { kvmGid: kvm.gid }
  });
}
var maxGuestCpus = 64;
function makeVmm(options, parts) {
  const { qemu, accelerator, emulatedFallback, kvmGid } = parts;
  const cpuModel = cpuModels[accelerator];
  return new QemuVmm({
    profile: { program: qemu.program, version: qemu.version, accelerator, cpuModel, tscKhz: parts.tscKhz },
    features: {
      name: "qemu",
      version: qemu.version.text,
      machine: machineType,
      cpuModel,
      isolation: parts.isolation,
      maxCpus: maxGuestCpus,
      restoreKey: restoreKey(qemu, accelerator, cpuModel, parts.host)
    },
    launcherProgram: join17(options.nativeDirectory, "launcher"),
    runner: options.runner,
    openFreezer: (request) => openMemoryFreezer({ program: join17(options.nativeDirectory, "freeze"), ...request }),
    freezeMethod: parts.freezeMethod,
    ...emulatedFallback === void 0 ? {} : { emulatedFallback },
    ...kvmGid === void 0 ? {} : { kvmGid }
  });
}
function restoreKey(qemu, accelerator, cpuModel, host) {
  return restoreKeyOf({
    snapshot: String(snapshotFormatVersion),
    "command-line": String(commandLineVersion),
    qemu: qemu.version.text,
    machine: machineType,
    accel: accelerator,
    cpu: cpuModel,
    host: host.model,
    ...accelerator === "kvm" ? { flags: host.flagsDigest } : {}
  });
}
function once(work) {
  let result;
  return () => result ??= work();
}
async function measureTscKhz({ runner, nativeDirectory }) {
  const run = await runner.run(join17(nativeDirectory, "tsc-khz"), [], { timeoutMs: 5e3 }).catch((error) => {
    const message = `The native programs are missing from ${nativeDirectory}.`;
    throw new OffshootError("tool-missing", { message, hint: "Build them: make -s -C hostd/vmm/native", cause: error });
  });
  const khz = Number(run.stdout.trim());
  return run.code === 0 && Number.isSafeInteger(khz) && khz > 0 ? khz : void 0;
}

// hostd/guest/protocol/frame.ts
var frameType = {
  resync: 1,
  resyncAck: 2,
  open: 16,
  data: 18,
  ack: 19,
  eof: 20,
  end: 21,
  close: 22,
  control: 23,
  resume: 24,
  ping: 32,
  pong: 33
};
var startByte = 245;
var headerBytes = 20;
var trailerBytes = 4;
var maxGuestPayloadBytes = 65536;
var maxHostPayloadBytes = 16384;
var maxPingBytes = 64;
var moreFollowsFlag = 1;
var resyncTag = 1380275033;
var channels2 = { input: 0, stdout: 1, stderr: 2 };
var guestOpenedBit = 2147483648;
var maxOpenBytes = 2 * 1024 * 1024;
var maxOpenFields = 4096;
var maxStreams = 256;
var initialInputLimitBytes = 65536;
var ProtocolViolation = class extends Error {
  constructor(message) {
    super(message);
    this.name = "ProtocolViolation";
  }
};
function wholePayload(frame) {
  const [first] = frame.payload;
  if (first === void 0) return Buffer.alloc(0);
  return frame.payload.length === 1 ? first : Buffer.concat(frame.payload);
}
function readCount(bytes, position) {
  const high = bytes.readUInt32LE(position + 4);
  if (high >= 2097152) throw new ProtocolViolation("a byte count is beyond 2^53");
  return high * 4294967296 + bytes.readUInt32LE(position);
}
function writeCount(bytes, count, position) {
  bytes.writeUInt32LE(count % 4294967296, position);
  bytes.writeUInt32LE(Math.floor(count / 4294967296), position + 4);
}

// hostd/guest/channel/dialer.ts
import { setTimeout as sleep2 } from "node:timers/promises";

// hostd/guest/channel/carrier.ts
import { closeSync, constants as constants5, openSync } from "node:fs";
import { createConnection as createConnection2 } from "node:net";
import { basename as basename2, dirname as dirname4 } from "node:path";
var maxSocketPathBytes2 = 107;
function openCarrier(socketPath) {
  if (Buffer.byteLength(socketPath) <= maxSocketPathBytes2) return connected2(createConnection2(socketPath));
  let folder;
  try {
    folder = openSync(dirname4(socketPath), constants5.O_RDONLY | constants5.O_DIRECTORY);
  } catch (error) {
    return Promise.reject(error);
  }
  const shortPath = `/proc/self/fd/${String(folder)}/${basename2(socketPath)}`;
  return connected2(createConnection2(shortPath)).finally(() => closeSync(folder));
}
function connected2(socket) {
  return new Promise((resolve2, reject) => {
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve2(socket);
    });
  });
}

// hostd/guest/channel/dialer.ts
var firstDelayMs = 5;
var longestDelayMs = 200;
var startDelayMs = 4;
var startAttempts = 250;
var goneMs2 = 2e3;
var failingMs = 3e4;
var leastFailures = 5;
var Dialer = class {
  #socketPath;
  #stopped;
  #failures = 0;
  #failingSinceMs = 0;
  #goneSinceMs;
  #everConnected = false;
  constructor(socketPath, stopped) {
    this.#socketPath = socketPath;
    this.#stopped = stopped;
  }
  /** A session came to life: earlier failures are forgotten. */
  succeeded() {
    this.#failures = 0;
    this.#goneSinceMs = void 0;
    this.#everConnected = true;
  }
  /** The next connection; undefined when the socket is gone for good or the signal fired. Before the first success it dials for ever. */
  async dial() {
    for (; ; ) {
      if (this.#stopped.aborted) return void 0;
      if (this.#failures > 0) await this.#pause();
      if (this.#stopped.aborted) return void 0;
      if (this.#failures === 0) this.#failingSinceMs = performance.now();
      this.#failures += 1;
      try {
        const socket = await openCarrier(this.#socketPath);
        this.#goneSinceMs = void 0;
        if (!this.#stopped.aborted && !this.#hopeless()) return socket;
        socket.destroy();
      } catch (error) {
        if (isGone(error)) this.#goneSinceMs ??= performance.now();
        else this.#goneSinceMs = void 0;
      }
      if (this.#hopeless()) return void 0;
    }
  }
  #hopeless() {
    if (!this.#everConnected || this.#failures < leastFailures) return false;
    const nowMs = performance.now();
    if (this.#goneSinceMs !== void 0 && nowMs - this.#goneSinceMs > goneMs2) return true;
    return nowMs - this.#failingSinceMs > failingMs;
  }
  async #pause() {
    const growingMs = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(this.#failures - 1, 10));
    const delayMs = !this.#everConnected && this.#failures <= startAttempts ? startDelayMs : growingMs;
    await sleep2(delayMs, void 0, { signal: this.#stopped }).catch(() => void 0);
  }
};
function isGone(error) {
  const code = error.code;
  return code === "ENOENT" || code === "ECONNREFUSED" || code === "ENOTDIR";
}

// hostd/guest/channel/stream-setup.ts
var StreamLostError = class extends Error {
  constructor() {
    super("the agent has lost the stream");
    this.name = "StreamLostError";
  }
};

// hostd/guest/channel/errors.ts
function closedError(reason2, violation) {
  const details = { reason: reason2 };
  switch (reason2) {
    case "carrier-gone":
      return new OffshootError("guest-unresponsive", { message: "The sandbox is gone.", details });
    case "disconnected":
      return new OffshootError("shutting-down", { message: "hostd has let go of the sandbox.", details });
    case "protocol":
      return protocolError(violation ?? new ProtocolViolation("unknown"));
  }
}
function protocolError(violation) {
  return new OffshootError("guest-protocol", {
    message: `The agent in the sandbox broke the protocol: ${violation.message}.`,
    details: { reason: "protocol" },
    cause: violation
  });
}
function tooManyStreams() {
  return new OffshootError("too-many-streams", {
    message: `The sandbox has ${String(maxStreams)} execs and transfers open, as many as its agent takes.`,
    details: { reason: "too-many-streams" }
  });
}
function unresponsive(operation, timeoutMs2) {
  return new OffshootError("guest-unresponsive", {
    message: `The sandbox did not answer ${operation} within ${String(timeoutMs2)} ms.`,
    details: { reason: "timeout", operation, timeoutMs: timeoutMs2 }
  });
}
function aborted2(cause) {
  return new OffshootError("aborted", cause === void 0 ? {} : { cause });
}
function streamError(error, path18) {
  const details = path18 === void 0 ? {} : { path: path18 };
  if (error instanceof ProtocolViolation) return protocolError(error);
  if (error instanceof StreamLostError)
    return new OffshootError("guest-file-error", {
      message: "The agent has lost the transfer.",
      details: { reason: "stream-lost", ...details }
    });
  return error;
}
var fileCodes = /* @__PURE__ */ new Map([
  ["not-found", "guest-file-not-found"],
  ["no-space", "guest-disk-full"],
  ["unsafe-path", "unsafe-archive"],
  ["too-many-streams", "too-many-streams"],
  ["invalid", "invalid-request"]
]);
function fileError(end, path18) {
  return new OffshootError(fileCodes.get(end.error) ?? "guest-file-error", {
    message: end.message === "" ? `${path18}: ${end.error}` : end.message,
    details: { reason: end.error, path: path18 }
  });
}

// hostd/guest/protocol/fields.ts
function encodeFields(fields) {
  const values = fields.map(([, value]) => Buffer.isBuffer(value) ? value : Buffer.from(String(value)));
  let size = 0;
  for (const [index, [key]] of fields.entries()) size += 5 + key.length + (values[index]?.length ?? 0);
  const bytes = Buffer.allocUnsafe(size);
  let position = 0;
  for (const [index, [key]] of fields.entries()) {
    const value = values[index] ?? Buffer.alloc(0);
    position = bytes.writeUInt8(key.length, position);
    position += bytes.write(key, position, "latin1");
    position = bytes.writeUInt32LE(value.length, position);
    position += value.copy(bytes, position);
  }
  return bytes;
}
var keyPattern = /^[a-z0-9][a-z0-9-]*$/;
function decodeFields(bytes, maxFields) {
  const fields = [];
  let position = 0;
  while (position < bytes.length) {
    if (fields.length === maxFields) throw new ProtocolViolation(`more than ${String(maxFields)} fields`);
    const keyEnd = position + 1 + bytes.readUInt8(position);
    if (keyEnd + 4 > bytes.length) throw new ProtocolViolation("a field is cut short");
    const key = bytes.toString("latin1", position + 1, keyEnd);
    if (!keyPattern.test(key)) throw new ProtocolViolation("a field has a malformed key");
    const valueEnd = keyEnd + 4 + bytes.readUInt32LE(keyEnd);
    if (valueEnd > bytes.length) throw new ProtocolViolation("a field is cut short");
    fields.push({ key, value: bytes.subarray(keyEnd + 4, valueEnd) });
    position = valueEnd;
  }
  return fields;
}
function fieldTexts(fields) {
  const texts = /* @__PURE__ */ new Map();
  for (const { key, value } of fields) if (!texts.has(key)) texts.set(key, value.toString("utf8"));
  return Object.fromEntries(texts);
}

// hostd/guest/protocol/frame-encoder.ts
var empty = Buffer.alloc(0);
function encodeFrame(tag, head, payload = empty) {
  const bytes = Buffer.allocUnsafe(headerBytes + payload.length + trailerBytes);
  writeFrame(bytes, 0, tag, head, payload);
  return bytes;
}
function encodeData(tag, streamId, offset, parts) {
  const frames = parts.flatMap((part) => cut(part));
  const size = frames.reduce((sum, frame) => sum + headerBytes + frame.length + trailerBytes, 0);
  const bytes = Buffer.allocUnsafe(size);
  let position = 0;
  let sent = offset;
  for (const frame of frames) {
    position = writeFrame(bytes, position, tag, { type: frameType.data, streamId, offset: sent }, frame);
    sent += frame.length;
  }
  return bytes;
}
function encodeOpen(tag, streamId, limit, fields) {
  if (fields.length > maxOpenBytes) throw new RangeError("OPEN fields are beyond the bound");
  const pieces = cut(fields);
  return Buffer.concat(
    pieces.map((piece, index) => {
      const flags = index < pieces.length - 1 ? moreFollowsFlag : 0;
      return encodeFrame(tag, { type: frameType.open, streamId, offset: limit, flags }, piece);
    })
  );
}
function encodeCount(tag, head, count) {
  const payload = Buffer.allocUnsafe(8);
  writeCount(payload, count, 0);
  return encodeFrame(tag, head, payload);
}
function cut(bytes) {
  if (bytes.length <= maxHostPayloadBytes) return [bytes];
  const pieces = [];
  for (let start = 0; start < bytes.length; start += maxHostPayloadBytes)
    pieces.push(bytes.subarray(start, start + maxHostPayloadBytes));
  return pieces;
}
function writeFrame(bytes, position, tag, head, payload) {
  bytes[position] = startByte;
  bytes[position + 1] = head.type;
  bytes[position + 2] = channels2.input;
  bytes[position + 3] = head.flags ?? 0;
  bytes.writeUInt32LE(payload.length, position + 4);
  bytes.writeUInt32LE(head.streamId, position + 8);
  writeCount(bytes, head.offset, position + 12);
  payload.copy(bytes, position + headerBytes);
  return bytes.writeUInt32LE(tag, position + headerBytes + payload.length);
}

// hostd/guest/protocol/resync.ts
var magic = Buffer.from("offshoot-resync\n");
var nonceBytes = 16;
var lowestVersion = 1;
var highestVersion = 1;
var padding = Buffer.alloc(headerBytes + maxHostPayloadBytes + trailerBytes);
function encodeResync(nonce) {
  const versions = Buffer.alloc(4);
  versions.writeUInt16LE(lowestVersion, 0);
  versions.writeUInt16LE(highestVersion, 2);
  const payload = Buffer.concat([magic, nonce, versions]);
  return encodeFrame(resyncTag, { type: frameType.resync, streamId: 0, offset: 0 }, payload);
}
function sessionTag(nonce) {
  return nonce.readUInt32LE(0);
}
var ResyncHunter = class {
  /** Bytes thrown away so far. */
  discardedBytes = 0;
  /** Magic and nonce: what only the answer holds. */
  #mark;
  #carry = Buffer.alloc(0);
  #answer;
  #answerFill = 0;
  constructor(nonce) {
    this.#mark = Buffer.concat([magic, nonce]);
  }
  push(chunk) {
    let rest = this.#carry.length === 0 ? chunk : Buffer.concat([this.#carry, chunk]);
    this.#carry = Buffer.alloc(0);
    while (rest.length > 0) {
      if (this.#answer === void 0) {
        const start = this.#hunt(rest);
        if (start === void 0) return void 0;
        rest = rest.subarray(start);
        this.#answer = Buffer.allocUnsafe(headerBytes + rest.readUInt32LE(4) + trailerBytes);
        this.#answerFill = 0;
      }
      const answer = this.#answer;
      const taken = rest.copy(answer, this.#answerFill);
      this.#answerFill += taken;
      rest = rest.subarray(taken);
      if (this.#answerFill < answer.length) return void 0;
      this.#answer = void 0;
      if (answer.readUInt32LE(answer.length - trailerBytes) === resyncTag)
        return { fields: answer.subarray(prefixBytes, answer.length - trailerBytes), rest };
      this.discardedBytes += answer.length;
    }
    return void 0;
  }
  /** Where an answer begins in `bytes`. The end of them, where one may have begun, is carried over. */
  #hunt(bytes) {
    for (let mark = bytes.indexOf(this.#mark); mark >= 0; mark = bytes.indexOf(this.#mark, mark + 1)) {
      const start = mark - headerBytes;
      if (start < 0 || !isAnswerHeader(bytes, start)) continue;
      this.discardedBytes += start;
      return start;
    }
    const carried = Math.min(bytes.length, prefixBytes - 1);
    this.discardedBytes += bytes.length - carried;
    this.#carry = Buffer.from(bytes.subarray(bytes.length - carried));
    return void 0;
  }
};
function isAnswerHeader(bytes, at) {
  for (let index = 0; index < headerBytes; index += 1) {
    const isLength = index >= 4 && index < 8;
    if (!isLength && bytes[at + index] !== answerHeader[index]) return false;
  }
  const payloadBytes = bytes.readUInt32LE(at + 4);
  return payloadBytes >= magic.length + nonceBytes && payloadBytes <= maxGuestPayloadBytes;
}
var prefixBytes = headerBytes + magic.length + nonceBytes;
var answerHeader = Buffer.alloc(headerBytes);
answerHeader[0] = startByte;
answerHeader[1] = frameType.resyncAck;
answerHeader[2] = channels2.input;

// hostd/guest/protocol/hello.ts
var decimal = external_exports.string().regex(/^\d{1,15}$/).transform(Number);
var shortText = external_exports.string().max(256);
var streamSchema = external_exports.object({
  id: decimal.pipe(external_exports.number().min(1).max(4294967295)),
  kind: external_exports.string().regex(/^[a-z0-9-]{1,64}$/),
  received: decimal,
  limit: decimal,
  base: decimal,
  length: decimal,
  ended: external_exports.enum(["0", "1"]).default("0")
});
var helloSchema = external_exports.object({
  version: decimal.pipe(external_exports.number().min(lowestVersion).max(highestVersion)),
  agent: shortText,
  "boot-id": shortText.default(""),
  generation: decimal.default(0)
});
var maxCapabilities = 64;
var maxHelloFields = maxStreams + maxCapabilities + 32;
function parseHello(fields) {
  const decoded = decodeFields(fields, maxHelloFields);
  const head = check(helloSchema, fieldTexts(decoded), "RESYNC_ACK");
  const streams = decoded.filter(({ key }) => key === "stream").map(({ value }) => parseStream(value));
  if (streams.length > maxStreams) throw new ProtocolViolation("RESYNC_ACK lists too many streams");
  if (new Set(streams.map(({ id }) => id)).size < streams.length)
    throw new ProtocolViolation("RESYNC_ACK lists a stream twice");
  return {
    protocolVersion: head.version,
    agentBuild: head.agent,
    capabilities: new Set(decoded.filter(({ key }) => key === "capability").map(({ value }) => value.toString())),
    streams,
    bootId: head["boot-id"],
    generation: head.generation
  };
}
function parseStream(value) {
  const stream = check(streamSchema, fieldTexts(decodeFields(value, 32)), "a stream of RESYNC_ACK");
  if (stream.base > stream.length) throw new ProtocolViolation("a stream keeps more than it has produced");
  if (stream.limit < stream.received) throw new ProtocolViolation("a stream takes less than it has received");
  return {
    id: stream.id,
    kind: stream.kind,
    receivedBytes: stream.received,
    inputLimitBytes: stream.limit,
    baseOffset: stream.base,
    lengthBytes: stream.length,
    ended: stream.ended === "1"
  };
}
function check(schema, value, what) {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ProtocolViolation(`${what}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "malformed"}`);
}

// hostd/guest/protocol/results.ts
var maxEndFields = 64;
function parseEnd(payload) {
  const texts = fieldTexts(decodeFields(payload, maxEndFields));
  if (texts["error"] === void 0) {
    if (texts["ok"] !== "1") throw new ProtocolViolation("END has neither ok nor error");
    return { ok: true, texts };
  }
  if (!/^[a-z0-9-]{1,64}$/.test(texts["error"])) throw new ProtocolViolation("END has a malformed error code");
  return { ok: false, error: texts["error"], message: cleanText(texts["message"] ?? ""), texts };
}
var maxMessageLength = 300;
function cleanText(text) {
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, " ").trim();
  return line.length <= maxMessageLength ? line : `${line.slice(0, maxMessageLength)}...`;
}
var flag = external_exports.enum(["0", "1"]).default("0");
var execSchema = external_exports.object({
  "exit-code": decimal.pipe(external_exports.number().max(255)).optional(),
  signal: decimal.pipe(external_exports.number().min(1).max(64)).optional(),
  "timed-out": flag,
  "oom-killed": flag,
  "user-us": decimal.default(0),
  "system-us": decimal.default(0),
  "max-rss-kib": decimal.default(0)
});
var failureCodes = /* @__PURE__ */ new Set([
  "command-not-found",
  "not-executable",
  "cwd-missing",
  "user-missing",
  "spawn-failed"
]);
function parseExecResult(end) {
  const fields = check(execSchema, end.texts, "END of an exec");
  if (end.ok && fields["exit-code"] === void 0 === (fields.signal === void 0))
    throw new ProtocolViolation("END of an exec has neither or both of exit-code and signal");
  return {
    exitCode: fields["exit-code"] ?? null,
    signalNumber: fields.signal ?? null,
    timedOut: fields["timed-out"] === "1",
    oomKilled: fields["oom-killed"] === "1",
    ...end.ok ? {} : { failure: parseFailure(end.error, end.message) },
    userCpuMs: fields["user-us"] / 1e3,
    systemCpuMs: fields["system-us"] / 1e3,
    maxRssKiB: fields["max-rss-kib"]
  };
}
function parseFailure(error, message) {
  if (isFailureCode(error)) return { code: error, message };
  return { code: "spawn-failed", message: `${error}: ${message}` };
}
function isFailureCode(error) {
  return failureCodes.has(error);
}
var entryTypes = {
  f: "file",
  d: "directory",
  l: "symlink",
  p: "fifo",
  s: "socket",
  c: "char-device",
  b: "block-device"
};
var entrySchema = external_exports.object({
  name: external_exports.string().max(4096).default(""),
  type: external_exports.enum(["f", "d", "l", "p", "s", "c", "b"]),
  size: decimal,
  mode: external_exports.string().regex(/^[0-7]{1,7}$/),
  uid: decimal,
  gid: decimal,
  "mtime-ns": external_exports.string().regex(/^-?\d{1,20}$/),
  target: external_exports.string().max(4096).optional()
});
function parseFileEntry(texts) {
  const fields = check(entrySchema, texts, "a file entry");
  return {
    name: fields.name,
    type: entryTypes[fields.type],
    sizeBytes: fields.size,
    mode: Number.parseInt(fields.mode, 8) & 4095,
    uid: fields.uid,
    gid: fields.gid,
    mtimeMs: Number(BigInt(fields["mtime-ns"]) / 1000n) / 1e3,
    ...fields.target === void 0 ? {} : { target: fields.target }
  };
}
function parseListBlock(block) {
  return parseFileEntry(fieldTexts(decodeFields(block, 32)));
}
var metricsSchema = external_exports.object({
  "memory-total-kib": decimal,
  "memory-available-kib": decimal,
  "disk-total-kib": decimal,
  "disk-free-kib": decimal,
  processes: decimal,
  load1: external_exports.string().regex(/^\d{1,6}(\.\d{1,6})?$/).transform(Number),
  "uptime-ms": decimal,
  "clock-ns": external_exports.string().regex(/^\d{1,20}$/)
});
function parseMetrics(texts) {
  const fields = check(metricsSchema, texts, "metrics");
  return {
    memoryTotalKiB: fields["memory-total-kib"],
    memoryAvailableKiB: fields["memory-available-kib"],
    diskTotalKiB: fields["disk-total-kib"],
    diskFreeKiB: fields["disk-free-kib"],
    processes: fields.processes,
    load1: fields.load1,
    uptimeMs: fields["uptime-ms"],
    clockMs: Number(BigInt(fields["clock-ns"]) / 1000000n)
  };
}
var countsSchema = external_exports.object({
  size: decimal.default(0),
  entries: decimal.default(0),
  bytes: decimal.default(0),
  skipped: decimal.default(0)
});
function parseCounts(texts) {
  return check(countsSchema, texts, "END of a transfer");
}

// hostd/guest/channel/input-queue.ts
var maxInFlightBytes = 1024 * 1024;
var InputQueue = class {
  consumedBytes;
  #sentOffset;
  #highestSent;
  #queuedOffset;
  #limit;
  #pieces = [];
  /** The first piece that may have bytes to send. */
  #sendIndex = 0;
  #closed = false;
  constructor(startOffset) {
    this.consumedBytes = startOffset;
    this.#sentOffset = startOffset;
    this.#highestSent = startOffset;
    this.#queuedOffset = startOffset;
    this.#limit = startOffset + initialInputLimitBytes;
  }
  /** Bytes queued and not yet consumed by the guest. */
  get backlogBytes() {
    return this.#queuedOffset - this.consumedBytes;
  }
  get closed() {
    return this.#closed;
  }
  /** The final length once the input is closed and all of it has been sent: EOF may go. */
  get finalOffset() {
    return this.#closed && this.#sentOffset === this.#queuedOffset ? this.#queuedOffset : void 0;
  }
  /** Resolves when the guest has consumed the bytes. */
  push(bytes) {
    if (bytes.length === 0) return Promise.resolve();
    return new Promise((resolve2, reject) => {
      this.#pieces.push({ bytes, startOffset: this.#queuedOffset, resolve: resolve2, reject });
      this.#queuedOffset += bytes.length;
    });
  }
  close() {
    this.#closed = true;
  }
  /** What may be sent now, counted as sent. */
  take() {
    const limit = Math.min(this.#limit, this.consumedBytes + maxInFlightBytes, this.#queuedOffset);
    if (this.#sentOffset >= limit) return void 0;
    const batch = { offset: this.#sentOffset, parts: [] };
    while (this.#sentOffset < limit) {
      const piece = this.#pieces[this.#sendIndex];
      if (piece === void 0) break;
      const endOffset = piece.startOffset + piece.bytes.length;
      const partEnd = Math.min(endOffset, limit);
      if (partEnd > this.#sentOffset) {
        batch.parts.push(piece.bytes.subarray(this.#sentOffset - piece.startOffset, partEnd - piece.startOffset));
        this.#sentOffset = partEnd;
      }
      if (partEnd === endOffset) this.#sendIndex += 1;
    }
    this.#highestSent = Math.max(this.#highestSent, this.#sentOffset);
    return batch;
  }
  /** ACK: true when it moved anything. Throws ProtocolViolation. */
  acknowledge(consumedBytes, limit) {
    if (consumedBytes > this.#sentOffset) throw new ProtocolViolation("ACK of input that was never sent");
    if (limit < consumedBytes) throw new ProtocolViolation("ACK with a limit below what it acknowledges");
    const moved = consumedBytes > this.consumedBytes || limit > this.#limit;
    this.#limit = Math.max(this.#limit, limit);
    this.#consume(consumedBytes);
    return moved;
  }
  /** A new session: the guest has `receivedBytes` and takes more up to `limit`. Throws ProtocolViolation. */
  resume(receivedBytes, limit) {
    if (receivedBytes > this.#highestSent) throw new ProtocolViolation("a stream received input that was never sent");
    if (receivedBytes < this.consumedBytes) throw new ProtocolViolation("a stream has lost input it acknowledged");
    this.#consume(receivedBytes);
    this.#sentOffset = receivedBytes;
    this.#sendIndex = 0;
    this.#limit = limit;
  }
  /** The stream never arrived: everything is sent again from the start. */
  restart() {
    this.#sentOffset = this.consumedBytes;
    this.#sendIndex = 0;
    this.#limit = this.consumedBytes + initialInputLimitBytes;
  }
  fail(error) {
    this.#closed = true;
    for (const piece of this.#pieces.splice(0)) piece.reject(error);
    this.#sendIndex = 0;
    this.#queuedOffset = this.#sentOffset;
  }
  #consume(offset) {
    if (offset <= this.consumedBytes) return;
    this.consumedBytes = offset;
    let done = 0;
    for (const piece of this.#pieces) {
      if (piece.startOffset + piece.bytes.length > offset) break;
      piece.resolve();
      done += 1;
    }
    this.#pieces.splice(0, done);
    this.#sendIndex = Math.max(0, this.#sendIndex - done);
  }
};

// hostd/guest/channel/backlog.ts
var gatherBytes = 16 * 1024;
var maxPieceBytes = 64 * 1024;
var channelCount = 4;
var Backlog = class {
  lengthBytes = 0;
  #buffers = [];
  #firstOffset = 0;
  /** Lengths with their channel, as `length * channelCount + channel`: plain numbers, since a hostile guest can make a million runs. */
  #runs = [];
  #firstRun = 0;
  #gather;
  #gatherFill = 0;
  push(channel, bytes) {
    this.lengthBytes += bytes.length;
    const last = this.#runs.at(-1);
    if (last !== void 0 && this.#runs.length > this.#firstRun && last % channelCount === channel)
      this.#runs[this.#runs.length - 1] = last + bytes.length * channelCount;
    else this.#runs.push(bytes.length * channelCount + channel);
    if (bytes.length * 4 >= bytes.buffer.byteLength) {
      this.#flushGather();
      this.#buffers.push(bytes);
      return;
    }
    for (let start = 0; start < bytes.length; ) {
      this.#gather ??= Buffer.allocUnsafeSlow(gatherBytes);
      const copied = bytes.copy(this.#gather, this.#gatherFill, start);
      this.#gatherFill += copied;
      start += copied;
      if (this.#gatherFill === gatherBytes) this.#flushGather();
    }
  }
  /** The next bytes of one channel, at most 64 KiB. */
  shift() {
    const run = this.#runs[this.#firstRun];
    if (run === void 0) return void 0;
    const channel = run % channelCount;
    const length = Math.min((run - channel) / channelCount, maxPieceBytes);
    this.#runs[this.#firstRun] = run - length * channelCount;
    if (this.#runs[this.#firstRun] === channel) this.#dropRun();
    this.lengthBytes -= length;
    return { channel, bytes: this.#takeBytes(length) };
  }
  clear() {
    this.#buffers.length = 0;
    this.#runs = [];
    this.#firstRun = 0;
    this.#firstOffset = 0;
    this.#gather = void 0;
    this.#gatherFill = 0;
    this.lengthBytes = 0;
  }
  #takeBytes(length) {
    const parts = [];
    for (let missing = length; missing > 0; ) {
      if (this.#buffers.length === 0) this.#flushGather();
      const [first] = this.#buffers;
      if (first === void 0) throw new Error("backlog: fewer bytes than its runs say");
      const part = first.subarray(this.#firstOffset, this.#firstOffset + missing);
      parts.push(part);
      missing -= part.length;
      this.#firstOffset += part.length;
      if (this.#firstOffset < first.length) continue;
      this.#buffers.shift();
      this.#firstOffset = 0;
    }
    const [only] = parts;
    return parts.length === 1 && only !== void 0 ? only : Buffer.concat(parts);
  }
  #dropRun() {
    this.#firstRun += 1;
    if (this.#firstRun < 1024 || this.#firstRun * 2 < this.#runs.length) return;
    this.#runs = this.#runs.slice(this.#firstRun);
    this.#firstRun = 0;
  }
  #flushGather() {
    if (this.#gather === void 0 || this.#gatherFill === 0) return;
    this.#buffers.push(this.#gather.subarray(0, this.#gatherFill));
    this.#gather = void 0;
    this.#gatherFill = 0;
  }
};

// hostd/guest/channel/output-window.ts
var windowBytes = 1024 * 1024;
var ackStepBytes = 128 * 1024;
var maxInFlight = 64;
var OutputWindow = class {
  #consumedBytes;
  #wireOffset;
  #handedOffset;
  #receivedOffset;
  #limit;
  #acknowledged;
  #failed = false;
  #deliveries = [];
  #backlog = new Backlog();
  #consume;
  #onConsumed;
  #onFailed;
  constructor(startOffset, consume, onConsumed, onFailed) {
    this.#consumedBytes = startOffset;
    this.#wireOffset = startOffset;
    this.#handedOffset = startOffset;
    this.#receivedOffset = startOffset;
    this.#acknowledged = startOffset;
    this.#limit = startOffset + windowBytes;
    this.#consume = consume;
    this.#onConsumed = onConsumed;
    this.#onFailed = onFailed;
  }
  /**
   * What may be acknowledged: everything before it was consumed. After a cut the consumer can be ahead of what the guest
   * has sent again; that is acknowledged only as it comes.
   */
  get ackOffset() {
    return Math.min(this.#consumedBytes, this.#wireOffset);
  }
  /** Where the guest may send up to when that much is acknowledged. */
  get nextLimit() {
    return this.ackOffset + windowBytes;
  }
  /** All that was received has been consumed. */
  get idle() {
    return this.#consumedBytes === this.#receivedOffset;
  }
  /** An acknowledgement is worth a frame: a large step, or the sink has caught up. */
  get ackDue() {
    return this.ackUrgent || this.#ackStep > 0 && this.ackOffset === this.#wireOffset;
  }
  get ackUrgent() {
    return this.#ackStep >= ackStepBytes;
  }
  get #ackStep() {
    return this.#failed ? 0 : this.ackOffset - this.#acknowledged;
  }
  /** The caller has told the guest of `ackOffset` and `nextLimit`. */
  acknowledged() {
    this.#acknowledged = this.ackOffset;
    this.#limit = this.nextLimit;
  }
  /**
   * A new session: the guest sends again from `consumedBytes`, or from its base where that is later. Bytes that the
   * consumer has had are skipped when they come again.
   */
  resume(baseOffset, lengthBytes, gapAllowed) {
    if (lengthBytes < this.#receivedOffset) throw new ProtocolViolation("a stream has become shorter");
    if (baseOffset > this.#consumedBytes) {
      if (!gapAllowed) throw new ProtocolViolation("a stream has lost bytes that were not acknowledged");
      this.#consumedBytes = baseOffset;
      this.#handedOffset = baseOffset;
      this.#receivedOffset = baseOffset;
    }
    this.#wireOffset = this.#consumedBytes;
    this.acknowledged();
  }
  /** DATA. Throws ProtocolViolation when it does not continue the stream or exceeds the window. */
  receive(channel, offset, parts) {
    if (offset !== this.#wireOffset) throw new ProtocolViolation("DATA does not continue its stream");
    for (const part of parts) {
      const start = this.#wireOffset;
      this.#wireOffset += part.length;
      if (this.#wireOffset > this.#limit) throw new ProtocolViolation("DATA exceeds the window");
      const known = Math.max(0, this.#receivedOffset - start);
      if (known >= part.length) {
        this.#onConsumed();
        continue;
      }
      this.#receivedOffset = this.#wireOffset;
      if (this.#failed) continue;
      const fresh = known === 0 ? part : part.subarray(known);
      if (this.#deliveries.length >= maxInFlight || this.#backlog.lengthBytes > 0) this.#backlog.push(channel, fresh);
      else this.#hand(channel, fresh);
    }
  }
  /** END. Throws ProtocolViolation unless all of the output has come. */
  finish(lengthBytes) {
    if (lengthBytes !== this.#wireOffset || lengthBytes !== this.#receivedOffset)
      throw new ProtocolViolation("END does not match the output");
  }
  #hand(channel, bytes) {
    const offset = this.#handedOffset;
    this.#handedOffset += bytes.length;
    const delivery = { endOffset: this.#handedOffset, done: false };
    let promise;
    try {
      promise = this.#consume(channel, offset, bytes);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (promise === void 0 && this.#deliveries.length === 0) {
      this.#consumedBytes = delivery.endOffset;
      this.#onConsumed();
      return;
    }
    this.#deliveries.push(delivery);
    if (promise === void 0) {
      delivery.done = true;
      return;
    }
    promise.then(
      () => {
        delivery.done = true;
        this.#settle();
      },
      (error) => this.#fail(error)
    );
  }
  #settle() {
    let settled = 0;
    for (const delivery of this.#deliveries) {
      if (!delivery.done) break;
      this.#consumedBytes = delivery.endOffset;
      settled += 1;
    }
    if (settled === 0 || this.#failed) return;
    this.#deliveries.splice(0, settled);
    while (this.#deliveries.length < maxInFlight) {
      const piece = this.#backlog.shift();
      if (piece === void 0) break;
      this.#hand(piece.channel, piece.bytes);
    }
    this.#onConsumed();
  }
  #fail(error) {
    if (this.#failed) return;
    this.#failed = true;
    this.#backlog.clear();
    this.#onFailed(error);
  }
};

// hostd/guest/channel/stream-controls.ts
var StreamControls = class {
  #pending = /* @__PURE__ */ new Map();
  #confirm;
  /** `confirm` calls back when all that was sent before has arrived. */
  constructor(confirm) {
    this.#confirm = confirm;
  }
  /** The payloads to send again in a new session. */
  get pending() {
    return this.#pending.values();
  }
  /** Sends by `send`, then asks whether it has arrived. */
  add(name, payload, send) {
    this.#pending.set(name, payload);
    send(payload);
    this.#confirm(() => {
      if (this.#pending.get(name) === payload) this.#pending.delete(name);
    });
  }
  clear() {
    this.#pending.clear();
  }
};

// hostd/guest/channel/stream-frames.ts
function sendOpen(transport, streamId, limit, fields) {
  transport.send(encodeOpen(transport.tag, streamId, limit, fields));
}
function sendData(transport, streamId, batch) {
  transport.send(encodeData(transport.tag, streamId, batch.offset, batch.parts));
}
function sendGrant(transport, type, streamId, offset, limit) {
  transport.send(encodeCount(transport.tag, { type, streamId, offset }, limit));
}
function sendEof(transport, streamId, finalOffset) {
  transport.send(encodeFrame(transport.tag, { type: frameType.eof, streamId, offset: finalOffset }));
}
function sendControl(transport, streamId, fields) {
  transport.send(encodeFrame(transport.tag, { type: frameType.control, streamId, offset: 0 }, fields));
}
function sendClose(transport, streamId) {
  transport.send(encodeFrame(transport.tag, { type: frameType.close, streamId, offset: 0 }));
}
function sendEcho(transport, type, offset, payload) {
  transport.send(encodeFrame(transport.tag, { type, streamId: 0, offset }, payload));
}

// hostd/guest/channel/guest-stream.ts
var GuestStream = class {
  id;
  /** Resolves with the guest's END once all output was consumed; rejects when the stream failed. */
  ended;
  input;
  /** Called when the guest has consumed input. */
  onInputConsumed = () => void 0;
  #onClosed;
  #output;
  #fields;
  #transport;
  #confirmed;
  #fresh = true;
  #closed = false;
  #eofSent = false;
  #ackScheduled = false;
  #end;
  #settled = false;
  #controls;
  #resolveEnded = () => void 0;
  #rejectEnded = () => void 0;
  constructor(setup) {
    this.id = setup.id;
    this.#controls = new StreamControls(setup.confirm);
    this.#onClosed = setup.onClosed;
    this.#fields = setup.fields;
    this.#confirmed = setup.fields === void 0;
    this.input = new InputQueue(setup.adopted?.inputOffset ?? 0);
    this.#output = new OutputWindow(
      setup.adopted?.outputOffset ?? 0,
      setup.consume,
      () => this.#consumed(),
      (error) => this.fail(error)
    );
    this.ended = new Promise((resolve2, reject) => {
      this.#resolveEnded = resolve2;
      this.#rejectEnded = reject;
    });
    this.ended.catch(() => void 0);
  }
  /** True once END came or the stream failed: nothing more goes in. */
  get over() {
    return this.#settled || this.#end !== void 0;
  }
  /** A session has begun; `listed` is what the agent says of this stream. Throws ProtocolViolation. */
  attach(transport, listed) {
    this.#transport = transport;
    this.#eofSent = false;
    if (listed === void 0) this.#openAgain(transport);
    else this.#resume(transport, listed);
    this.#fresh = false;
    if (this.over) return;
    for (const payload of this.#controls.pending) sendControl(transport, this.id, payload);
    this.pump();
  }
  detach() {
    this.#transport = void 0;
  }
  /** A frame of this stream; false when it brought nothing. Throws ProtocolViolation. */
  take(frame) {
    this.#confirmed = true;
    this.#fields = void 0;
    switch (frame.type) {
      case frameType.data:
        if (this.#end !== void 0) throw new ProtocolViolation("DATA after END");
        this.#output.receive(frame.channel, frame.offset, frame.payload);
        return true;
      case frameType.ack:
        return this.#takeAck(frame);
      case frameType.end:
        return this.#takeEnd(frame);
      default:
        return false;
    }
  }
  /** Queues input; resolves when the guest has consumed it. The caller checks `over` and `input.closed`. */
  write(bytes) {
    const consumed = this.input.push(bytes);
    this.pump();
    return consumed;
  }
  endInput() {
    this.input.close();
    this.pump();
  }
  /** Sends CONTROL at least once; a newer one under the same name replaces one that is not known to have arrived. */
  control(name, fields) {
    if (this.over || this.#closed) return;
    this.#controls.add(name, encodeFields(fields), (payload) => {
      if (this.#transport !== void 0) sendControl(this.#transport, this.id, payload);
    });
  }
  /** Tells the guest to forget the stream, and forgets it. Idempotent. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#transport !== void 0) sendClose(this.#transport, this.id);
    this.#transport = void 0;
    this.#onClosed();
    this.fail(new StreamLostError());
  }
  /** Rejects what waits on the stream. The guest is not told: close() does that. */
  fail(error) {
    if (!this.#settled) {
      this.#settled = true;
      this.#rejectEnded(error);
    }
    this.input.fail(error);
    this.#controls.clear();
  }
  /** Sends what may be sent of the input, then EOF. */
  pump() {
    const transport = this.#transport;
    if (transport === void 0 || this.over) return;
    const batch = this.input.take();
    if (batch !== void 0) sendData(transport, this.id, batch);
    const finalOffset = this.input.finalOffset;
    if (finalOffset === void 0 || this.#eofSent) return;
    this.#eofSent = true;
    sendEof(transport, this.id, finalOffset);
  }
  /** Sends the acknowledgement that is due, unless the guest is not reading. */
  flush() {
    const transport = this.#transport;
    if (transport === void 0 || this.#end !== void 0 || !this.#output.ackDue || transport.congested) return;
    this.#output.acknowledged();
    sendGrant(transport, frameType.ack, this.id, this.#output.ackOffset, this.#output.nextLimit);
  }
  #openAgain(transport) {
    if (this.#end !== void 0) return;
    if (this.#fields === void 0 || this.#confirmed) {
      this.fail(new StreamLostError());
      return;
    }
    this.input.restart();
    sendOpen(transport, this.id, this.#output.nextLimit, this.#fields());
  }
  #resume(transport, listed) {
    this.#confirmed = true;
    this.#fields = void 0;
    if (!this.over) this.input.resume(listed.receivedBytes, listed.inputLimitBytes);
    this.onInputConsumed();
    if (this.#end !== void 0) return;
    this.#output.resume(listed.baseOffset, listed.lengthBytes, this.#fresh);
    sendGrant(transport, frameType.resume, this.id, this.#output.ackOffset, this.#output.nextLimit);
  }
  #takeAck(frame) {
    if (this.over) return false;
    const moved = this.input.acknowledge(frame.offset, readCount(wholePayload(frame), 0));
    if (!moved) return false;
    this.pump();
    this.onInputConsumed();
    return true;
  }
  #takeEnd(frame) {
    if (this.#end !== void 0) return false;
    this.#output.finish(frame.offset);
    this.#end = parseEnd(wholePayload(frame));
    this.#controls.clear();
    this.#settleEnd();
    return true;
  }
  #consumed() {
    if (this.#end !== void 0) {
      this.#settleEnd();
      return;
    }
    if (this.#output.ackUrgent) this.flush();
    else if (!this.#ackScheduled && this.#output.ackDue) {
      this.#ackScheduled = true;
      setImmediate(() => {
        this.#ackScheduled = false;
        this.flush();
      });
    }
  }
  #settleEnd() {
    if (this.#end === void 0 || !this.#output.idle || this.#settled) return;
    this.#settled = true;
    this.#resolveEnded(this.#end);
    this.input.fail(new StreamLostError());
  }
};

// hostd/guest/channel/pings.ts
var Pings = class {
  #lastToken = 0n;
  #onItsWay;
  #waiting = /* @__PURE__ */ new Map();
  /** Sends a ping as soon as there is a session without one. Returns a function that forgets it. */
  send(transport, answered) {
    this.#lastToken += 1n;
    const token = this.#lastToken;
    this.#waiting.set(token, answered);
    if (transport !== void 0 && this.#onItsWay === void 0) this.#ping(transport);
    return () => this.#waiting.delete(token);
  }
  /** PONG; false when it is not the awaited one. */
  take(transport, payload) {
    if (payload.length !== 8 || payload.readBigUInt64LE() !== this.#onItsWay) return false;
    const answeredUpTo = this.#onItsWay;
    this.#onItsWay = void 0;
    for (const [token, answered] of [...this.#waiting]) {
      if (token > answeredUpTo) break;
      this.#waiting.delete(token);
      answered();
    }
    if (this.#waiting.size > 0 && this.#onItsWay === void 0) this.#ping(transport);
    return true;
  }
  /** A new session: what was on its way may be lost. */
  resume(transport) {
    this.#onItsWay = void 0;
    if (this.#waiting.size > 0) this.#ping(transport);
  }
  #ping(transport) {
    this.#onItsWay = this.#lastToken;
    const payload = Buffer.allocUnsafe(8);
    payload.writeBigUInt64LE(this.#lastToken);
    sendEcho(transport, frameType.ping, 0, payload);
  }
};

// hostd/guest/channel/session.ts
import { randomBytes } from "node:crypto";

// hostd/guest/protocol/frame-decoder.ts
var viewBytes = 4096;
var FrameDecoder = class {
  /** Padding bytes seen between frames, in all. */
  paddingBytes = 0;
  #tag;
  #onFrame;
  #header = Buffer.alloc(headerBytes);
  #headerFill = 0;
  #frame;
  #parts = [];
  #missing = 0;
  #gather;
  #gatherFill = 0;
  #trailer = Buffer.alloc(trailerBytes);
  #trailerFill = 0;
  constructor(tag, onFrame) {
    this.#tag = tag;
    this.#onFrame = onFrame;
  }
  /** Bytes held for a frame that is not complete. */
  get heldBytes() {
    const views = this.#parts.reduce((sum, part) => sum + part.length, 0);
    return this.#headerFill + views + (this.#gather === void 0 ? 0 : this.#gather.length) + this.#trailerFill;
  }
  push(chunk) {
    let position = 0;
    while (position < chunk.length) {
      position = this.#frame === void 0 ? this.#takeHeader(chunk, position) : this.#takeBody(chunk, position);
    }
  }
  #takeHeader(chunk, start) {
    let position = start;
    if (this.#headerFill === 0) {
      while (position < chunk.length && chunk[position] === 0) position += 1;
      this.paddingBytes += position - start;
      if (position === chunk.length) return position;
      if (chunk[position] !== startByte) throw new ProtocolViolation("a frame has a wrong start byte");
      if (chunk.length - position >= headerBytes) return this.#begin(chunk, position, position + headerBytes);
    }
    const taken = chunk.copy(this.#header, this.#headerFill, position);
    this.#headerFill += taken;
    if (this.#headerFill < headerBytes) return position + taken;
    this.#headerFill = 0;
    return this.#begin(this.#header, 0, position + taken);
  }
  #begin(bytes, at, next) {
    const frame = readHeader(bytes, at);
    this.#frame = frame;
    this.#parts = [];
    this.#missing = frame.payloadBytes;
    return next;
  }
  #takeBody(chunk, start) {
    let position = start;
    if (this.#missing > 0) {
      const piece = chunk.subarray(position, position + this.#missing);
      this.#missing -= piece.length;
      position += piece.length;
      this.#keep(piece);
      if (this.#missing > 0) return position;
    }
    if (this.#trailerFill === 0 && chunk.length - position >= trailerBytes) {
      this.#finish(chunk.readUInt32LE(position));
      return position + trailerBytes;
    }
    const taken = chunk.copy(this.#trailer, this.#trailerFill, position);
    this.#trailerFill += taken;
    if (this.#trailerFill === trailerBytes) this.#finish(this.#trailer.readUInt32LE(0));
    return position + taken;
  }
  #keep(piece) {
    const whole = this.#missing === 0 && this.#gather === void 0;
    if (whole || piece.length >= viewBytes) {
      this.#flushGather();
      this.#parts.push(piece);
      return;
    }
    if (this.#gather !== void 0 && this.#gatherFill + piece.length > this.#gather.length) this.#flushGather();
    this.#gather ??= Buffer.allocUnsafe(Math.min(piece.length + this.#missing, 4 * viewBytes));
    this.#gatherFill += piece.copy(this.#gather, this.#gatherFill);
    if (this.#missing === 0) this.#flushGather();
  }
  #flushGather() {
    if (this.#gather === void 0) return;
    this.#parts.push(this.#gather.subarray(0, this.#gatherFill));
    this.#gather = void 0;
    this.#gatherFill = 0;
  }
  #finish(trailer) {
    const frame = this.#frame;
    if (frame === void 0 || trailer !== this.#tag) throw new ProtocolViolation("a frame has a wrong trailer");
    frame.payload = this.#parts;
    this.#frame = void 0;
    this.#parts = [];
    this.#trailerFill = 0;
    this.#onFrame(frame);
  }
};
function readHeader(bytes, at) {
  const frame = {
    type: bytes.readUInt8(at + 1),
    channel: bytes.readUInt8(at + 2),
    flags: bytes.readUInt8(at + 3),
    payloadBytes: bytes.readUInt32LE(at + 4),
    streamId: bytes.readUInt32LE(at + 8),
    offset: readCount(bytes, at + 12),
    payload: []
  };
  const isData = frame.type === frameType.data;
  const knownChannel = isData ? frame.channel === channels2.stdout || frame.channel === channels2.stderr : frame.channel === channels2.input;
  if (!knownChannel) throw new ProtocolViolation("a frame has a wrong channel");
  if (frame.flags !== 0 && frame.type !== frameType.open) throw new ProtocolViolation("a frame has unknown flags");
  checkLength(frame);
  const isSession = frame.type === frameType.ping || frame.type === frameType.pong;
  if (isSession !== (frame.streamId === 0)) throw new ProtocolViolation("a frame has a wrong stream id");
  return frame;
}
function checkLength({ type, payloadBytes }) {
  const bounds = lengthBounds.get(type);
  if (bounds === void 0) throw new ProtocolViolation(`a frame has the unknown type ${String(type)}`);
  if (payloadBytes < bounds[0] || payloadBytes > bounds[1])
    throw new ProtocolViolation(`a frame of type ${String(type)} has the wrong length ${String(payloadBytes)}`);
}
var lengthBounds = /* @__PURE__ */ new Map([
  [frameType.open, [0, maxGuestPayloadBytes]],
  [frameType.data, [1, maxGuestPayloadBytes]],
  [frameType.ack, [8, 8]],
  [frameType.eof, [0, 0]],
  [frameType.end, [0, maxGuestPayloadBytes]],
  [frameType.ping, [0, maxPingBytes]],
  [frameType.pong, [0, maxPingBytes]]
]);

// hostd/guest/channel/work-budget.ts
var burst = 1e5;
var perSecond = 1e4;
var IdleFrameBudget = class {
  #left = burst;
  #filledAtMs = performance.now();
  spend() {
    this.#left -= 1;
    if (this.#left >= 0) return;
    const nowMs = performance.now();
    this.#left = Math.min(burst, Math.floor((nowMs - this.#filledAtMs) * perSecond / 1e3)) - 1;
    this.#filledAtMs = nowMs;
    if (this.#left < 0) throw new ProtocolViolation("the guest floods the channel with idle frames");
  }
};
var sliceMs = 8;
var TurnSlice = class {
  #startMs;
  begin() {
    if (this.#startMs !== void 0) return;
    this.#startMs = performance.now();
    setImmediate(() => {
      this.#startMs = void 0;
    });
  }
  get spent() {
    return this.#startMs !== void 0 && performance.now() - this.#startMs > sliceMs;
  }
};

// hostd/guest/channel/session.ts
var firstAnswerMs = 1e3;
var congestedBytes = 256 * 1024;
var maxPaddingBytes = 64 * 1024;
var maxDiscardedBytes = 300 * 1024 * 1024;
var Session = class {
  tag = 0;
  /** Resolves when the carrier is gone or after end(); with the violation when the guest broke the protocol. */
  ended;
  #socket;
  #events;
  #slice = new TurnSlice();
  #violation;
  #hunter;
  #decoder;
  #discardedBytes = 0;
  #resend;
  #over = false;
  constructor(socket, midStream, events) {
    this.#socket = socket;
    this.#events = events;
    this.ended = new Promise((resolve2) => {
      socket.on("close", () => {
        this.#over = true;
        clearTimeout(this.#resend);
        resolve2(this.#violation);
      });
    });
    socket.on("error", () => void 0);
    socket.on("end", () => this.end());
    socket.on("drain", () => events.onDrain());
    socket.on("data", (chunk) => this.#take(chunk));
    this.#resync(midStream, firstAnswerMs);
  }
  get congested() {
    return this.#socket.writableLength > congestedBytes;
  }
  send(bytes) {
    if (!this.#over) this.#socket.write(bytes);
  }
  /** Writes made until the end of `batch` leave in one system call. */
  together(batch) {
    this.#socket.cork();
    try {
      batch();
    } finally {
      this.#socket.uncork();
    }
  }
  /** Closes the carrier. What was sent and not yet taken by the kernel is lost. */
  end() {
    this.#over = true;
    this.#socket.destroy();
  }
  #resync(padded, answerMs) {
    const nonce = randomBytes(nonceBytes);
    this.#discardedBytes += this.#hunter?.discardedBytes ?? 0;
    this.#hunter = new ResyncHunter(nonce);
    this.tag = sessionTag(nonce);
    this.together(() => {
      if (padded) this.send(padding);
      this.send(encodeResync(nonce));
    });
    this.#awaitAnswer(answerMs);
  }
  /** Asks again with a new nonce, ever less often, but never while the last question has not even left. */
  #awaitAnswer(answerMs) {
    this.#resend = setTimeout(() => {
      if (this.#socket.writableLength > 0) this.#awaitAnswer(answerMs);
      else this.#resync(true, answerMs * 2);
    }, answerMs);
  }
  #take(chunk) {
    if (this.#over) return;
    this.#slice.begin();
    try {
      if (this.#decoder === void 0) this.#hunt(chunk);
      else this.#decode(this.#decoder, chunk);
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      this.#violation = error;
      this.end();
      return;
    }
    if (!this.#slice.spent || this.#over) return;
    this.#socket.pause();
    setImmediate(() => this.#socket.resume());
  }
  #hunt(chunk) {
    const hunter = this.#hunter;
    const answer = hunter?.push(chunk);
    if (this.#discardedBytes + (hunter?.discardedBytes ?? 0) > maxDiscardedBytes)
      throw new ProtocolViolation("the guest sends without end and does not answer RESYNC");
    if (answer === void 0) return;
    clearTimeout(this.#resend);
    const hello = parseHello(answer.fields);
    this.#decoder = new FrameDecoder(this.tag, this.#events.onFrame);
    this.together(() => this.#events.onHello(hello));
    if (answer.rest.length > 0) this.#decode(this.#decoder, answer.rest);
  }
  #decode(decoder, chunk) {
    decoder.push(chunk);
    if (decoder.paddingBytes > maxPaddingBytes) throw new ProtocolViolation("the guest sends padding without end");
  }
};

// hostd/guest/channel/violations.ts
var tolerated = 2;
var spanMs = 6e4;
var Violations = class {
  last;
  #atMs = [];
  /** True when it was once too often. */
  add(violation) {
    const nowMs = performance.now();
    this.last = violation;
    this.#atMs.push(nowMs);
    while ((this.#atMs[0] ?? nowMs) < nowMs - spanMs) this.#atMs.shift();
    return this.#atMs.length > tolerated;
  }
};

// hostd/guest/channel/channel.ts
var doubtPauseMs = 1e4;
var GuestChannel = class {
  closed;
  /** Resolves with the first agent's answer; rejects when the channel closes before. */
  ready;
  #streams = /* @__PURE__ */ new Map();
  /** Streams of an earlier host that nobody has taken up or dropped. */
  #strays = /* @__PURE__ */ new Map();
  #pings = new Pings();
  #dialer;
  #stop = new AbortController();
  #hello;
  #session;
  #live;
  #budget = new IdleFrameBudget();
  #midStream;
  #highestId = 0;
  #violations = new Violations();
  #doubtedAtMs = -Infinity;
  #closedWith;
  #resolveReady = () => void 0;
  #rejectReady = () => void 0;
  constructor(socketPath, midStream) {
    this.#midStream = midStream;
    this.#dialer = new Dialer(socketPath, this.#stop.signal);
    this.ready = new Promise((resolve2, reject) => {
      this.#resolveReady = resolve2;
      this.#rejectReady = reject;
    });
    this.ready.catch(() => void 0);
    this.closed = this.#run();
  }
  get hello() {
    return this.#hello;
  }
  /** Throws when the channel is closed or has as many streams as the protocol allows. */
  openStream(setup) {
    if (this.#closedWith !== void 0) throw this.#closedWith;
    if (this.#streams.size + this.#strays.size >= maxStreams) throw tooManyStreams();
    return this.#add(setup);
  }
  /** Takes up a stream of an earlier host; undefined when the agent has none of this id and kind. */
  adoptStream(id, kind, outputOffset, consume) {
    const stray = this.#strays.get(id);
    if (this.#closedWith !== void 0 || stray?.kind !== kind) return void 0;
    this.#strays.delete(id);
    return this.#add({ id, consume, adopted: { outputOffset, inputOffset: stray.receivedBytes } }, stray);
  }
  reserveStreamId(floor = 0) {
    this.#highestId = Math.max(this.#highestId, floor) + 1;
    if (this.#highestId >= guestOpenedBit) throw new RangeError("stream ids are used up");
    return this.#highestId;
  }
  /** Calls back when the guest has answered; returns a function that gives up waiting. */
  ping(answered) {
    return this.#pings.send(this.#live, answered);
  }
  /**
   * The guest let a deadline pass. If the session itself is what is stuck (an agent that waits for RESYNC says nothing),
   * a new one mends it, and costs a busy guest little.
   */
  doubt() {
    const nowMs = performance.now();
    if (this.#live === void 0 || nowMs - this.#doubtedAtMs < doubtPauseMs) return;
    this.#doubtedAtMs = nowMs;
    this.#live.end();
  }
  closeStrays() {
    for (const id of this.#strays.keys()) this.#sendClose(id);
    this.#strays.clear();
  }
  /** The agent has dropped them by itself. */
  forgetStrays() {
    this.#strays.clear();
  }
  /** Ends the channel; the guest goes on. Idempotent. */
  disconnect() {
    this.#stop.abort();
    this.#session?.end();
  }
  async #run() {
    const reason2 = await this.#runSessions();
    const error = closedError(reason2, this.#violations.last);
    this.#closedWith = error;
    this.#rejectReady(error);
    for (const stream of this.#streams.values()) stream.fail(error);
    this.#streams.clear();
    return reason2;
  }
  async #runSessions() {
    for (; ; ) {
      const socket = await this.#dialer.dial();
      if (this.#stop.signal.aborted) return "disconnected";
      if (socket === void 0) return "carrier-gone";
      const violation = await this.#runSession(socket);
      if (this.#stop.signal.aborted) return "disconnected";
      if (violation !== void 0 && this.#violations.add(violation)) return "protocol";
    }
  }
  async #runSession(socket) {
    this.#budget = new IdleFrameBudget();
    const session = new Session(socket, this.#midStream, {
      onHello: (hello) => this.#begin(session, hello),
      onFrame: (frame) => this.#take(frame),
      onDrain: () => this.#flush()
    });
    this.#session = session;
    this.#midStream = true;
    const violation = await session.ended;
    this.#session = void 0;
    this.#live = void 0;
    for (const stream of this.#streams.values()) stream.detach();
    return violation;
  }
  #begin(session, hello) {
    const isFirst = this.#hello === void 0;
    const listed = new Map(hello.streams.map((stream) => [stream.id, stream]));
    for (const id of listed.keys()) if (id < guestOpenedBit) this.#highestId = Math.max(this.#highestId, id);
    this.#hello = hello;
    this.#live = session;
    this.#strays = new Map([...listed].filter(([id]) => isFirst || this.#strays.has(id)));
    for (const stream of [...this.#streams.values()]) stream.attach(session, listed.get(stream.id));
    for (const id of listed.keys()) if (!this.#streams.has(id) && !this.#strays.has(id)) this.#sendClose(id);
    this.#pings.resume(session);
    this.#dialer.succeeded();
    this.#resolveReady(hello);
  }
  #take(frame) {
    if (frame.type === frameType.pong) {
      if (this.#live === void 0 || !this.#pings.take(this.#live, wholePayload(frame))) this.#budget.spend();
      return;
    }
    const stream = this.#streams.get(frame.streamId);
    if (stream !== void 0 && frame.type !== frameType.open) {
      if (!stream.take(frame)) this.#budget.spend();
      return;
    }
    this.#budget.spend();
    if (frame.type === frameType.ping) this.#answerPing(frame);
    else if (frame.type === frameType.open) this.#refuse(frame);
    else if (frame.streamId > this.#highestId) throw new ProtocolViolation("a frame of a stream nobody opened");
  }
  #answerPing(frame) {
    const session = this.#live;
    if (session === void 0 || session.congested) return;
    sendEcho(session, frameType.pong, frame.offset, wholePayload(frame));
  }
  /** This host takes no streams from the guest: no kind of the protocol is opened from there yet. */
  #refuse(frame) {
    if (frame.streamId < guestOpenedBit)
      throw new ProtocolViolation("the guest opened a stream with an id of the host");
    if (this.#live?.congested === false) this.#sendClose(frame.streamId);
  }
  #flush() {
    for (const stream of this.#streams.values()) stream.flush();
  }
  #add(setup, listed) {
    if (this.#streams.has(setup.id)) throw new RangeError(`stream ${String(setup.id)} is in use`);
    this.#highestId = Math.max(this.#highestId, setup.id);
    const stream = new GuestStream({
      ...setup,
      confirm: (arrived) => this.ping(arrived),
      onClosed: () => this.#streams.delete(setup.id)
    });
    this.#streams.set(setup.id, stream);
    if (this.#live !== void 0) stream.attach(this.#live, listed);
    return stream;
  }
  #sendClose(id) {
    if (this.#live !== void 0) sendClose(this.#live, id);
  }
};

// hostd/guest/channel/open-fields.ts
function openFields(kind, parameters) {
  const fields = [["kind", kind], ...parameters];
  if (fields.length > maxOpenFields)
    throw invalid(`Arguments and environment have more than ${String(maxOpenFields)} entries in all.`);
  for (const [key, value] of fields)
    if (typeof value === "string" && value.includes("\0"))
      throw invalid(`The ${names2.get(key) ?? key} holds a NUL character, which no program can be given.`);
  const encoded = encodeFields(fields);
  if (encoded.length > maxOpenBytes)
    throw invalid(
      `Command, arguments and environment take ${String(encoded.length)} bytes; the sandbox takes ${String(maxOpenBytes)}.`,
      "Send the script as a file, or large content through stdin."
    );
  return encoded;
}
var names2 = /* @__PURE__ */ new Map([
  ["arg", "argument"],
  ["env", "environment"],
  ["shell", "command"],
  ["cwd", "working directory"]
]);
function invalid(message, hint) {
  return new OffshootError("invalid-request", {
    message,
    ...hint === void 0 ? {} : { hint },
    details: { issues: [{ message }] }
  });
}
function execParameters(spec) {
  return [
    ...(spec.argv ?? []).map((argument) => ["arg", argument]),
    ...optional("shell", spec.shell),
    ...Object.entries(spec.env).map(([name, value]) => ["env", `${name}=${value}`]),
    ["cwd", spec.cwd],
    ["user", spec.user],
    ...spec.pty === void 0 ? [] : ptyParameters(spec.pty),
    ...flag2("stdin", spec.stdin),
    ...optional("timeout-ms", spec.timeoutMs)
  ];
}
function ptyParameters(pty) {
  return [
    ["pty", 1],
    ["rows", pty.rows],
    ["cols", pty.cols]
  ];
}
function optional(key, value) {
  return value === void 0 ? [] : [[key, value]];
}
function flag2(key, on) {
  return on === true ? [[key, 1]] : [];
}

// hostd/guest/channel/exec.ts
function startExec(channel, spec, sink, streamId) {
  const fields = openFields("exec", execParameters(spec));
  const id = streamId ?? channel.reserveStreamId();
  return new ChannelExec(channel.openStream({ id, fields: () => fields, consume: toSink(sink) }), spec.stdin);
}
function adoptExec(channel, streamId, receivedBytes, sink) {
  const stream = channel.adoptStream(streamId, "exec", receivedBytes, toSink(sink));
  return stream === void 0 ? void 0 : new ChannelExec(stream, true);
}
function toSink(sink) {
  return (channel, offset, bytes) => {
    const name = channel === channels2.stderr ? "stderr" : "stdout";
    return sink.write(name, offset, bytes);
  };
}
var lostResult = {
  exitCode: null,
  signalNumber: null,
  timedOut: false,
  oomKilled: false,
  failure: { code: "stream-lost", message: "The agent has lost the exec." },
  userCpuMs: 0,
  systemCpuMs: 0,
  maxRssKiB: 0
};
var ChannelExec = class {
  streamId;
  result;
  #stream;
  #takesInput;
  #closed = false;
  constructor(stream, takesInput) {
    this.streamId = stream.id;
    this.#stream = stream;
    this.#takesInput = takesInput;
    this.result = this.#settle();
    this.result.catch(() => void 0);
  }
  get inputConsumedBytes() {
    return this.#stream.input.consumedBytes;
  }
  async write(bytes) {
    if (this.#stream.over) throw new OffshootError("exec-ended");
    if (!this.#takesInput || this.#stream.input.closed) throw new OffshootError("exec-input-closed");
    try {
      await this.#stream.write(bytes);
    } catch (error) {
      throw error instanceof StreamLostError ? new OffshootError("exec-ended") : error;
    }
  }
  endInput() {
    if (this.#takesInput) this.#stream.endInput();
  }
  resize(rows, cols) {
    this.#stream.control("resize", [
      ["rows", rows],
      ["cols", cols]
    ]);
  }
  signal(signalNumber) {
    this.#stream.control(`signal-${String(signalNumber)}`, [["signal", signalNumber]]);
  }
  close() {
    this.#closed = true;
    this.#stream.close();
  }
  async #settle() {
    try {
      const end = await this.#stream.ended;
      if (!end.ok && end.error === "too-many-streams") throw tooManyStreams();
      return parseExecResult(end);
    } catch (error) {
      if (error instanceof ProtocolViolation) throw protocolError(error);
      if (!(error instanceof StreamLostError)) throw error;
      if (this.#closed) throw aborted2();
      return lostResult;
    }
  }
};

// hostd/guest/channel/files.ts
import { setImmediate as nextTurn } from "node:timers/promises";

// hostd/guest/channel/transfer.ts
import { finished, Readable } from "node:stream";
function openTransfer(channel, transfer, consume) {
  const { kind, path: path18, signal } = transfer;
  if (signal?.aborted === true) throw aborted2(signal.reason);
  if (channel.hello?.capabilities.has(kind) !== true)
    throw new OffshootError("guest-file-error", {
      message: `The agent of this sandbox knows no ${kind}.`,
      details: { reason: "unknown-kind", path: path18 }
    });
  const fields = openFields(kind, [["path", path18], ...transfer.parameters]);
  const stream = channel.openStream({ id: channel.reserveStreamId(), fields: () => fields, consume });
  const onAbort = () => stream.fail(aborted2(signal?.reason));
  signal?.addEventListener("abort", onAbort, { once: true });
  stream.ended.finally(() => signal?.removeEventListener("abort", onAbort)).catch(() => void 0);
  return stream;
}
async function finishTransfer(stream, transfer) {
  let end;
  try {
    end = await stream.ended;
  } catch (error) {
    throw streamError(error, transfer.path);
  } finally {
    stream.close();
  }
  if (!end.ok) throw fileError(end, transfer.path);
  return end.texts;
}
var pauseAboveBytes = 256 * 1024;
var resumeBelowBytes = 128 * 1024;
function feed(content, stream) {
  const onData = (chunk) => {
    stream.write(Buffer.from(chunk)).catch(() => void 0);
    if (stream.input.backlogBytes > pauseAboveBytes) content.pause();
  };
  stream.onInputConsumed = () => {
    if (!stream.over && content.isPaused() && stream.input.backlogBytes < resumeBelowBytes) content.resume();
  };
  const forget = finished(content, { writable: false }, (error) => {
    if (error != null) stream.fail(aborted2(error));
    else stream.endInput();
  });
  stream.ended.catch(() => void 0).finally(() => {
    forget();
    content.off("data", onData);
    content.pause();
  });
  content.on("data", onData);
}
var OutputReadable = class extends Readable {
  #waiting = [];
  #onDestroy = () => void 0;
  constructor() {
    super({ highWaterMark: 256 * 1024 });
  }
  consume = (_channel, _offset, bytes) => {
    if (this.push(bytes)) return void 0;
    return new Promise((resolve2) => {
      this.#waiting.push(resolve2);
    });
  };
  onDestroy(callback) {
    this.#onDestroy = callback;
  }
  _read() {
    for (const resolve2 of this.#waiting.splice(0)) resolve2();
  }
  _destroy(error, callback) {
    this.#onDestroy();
    callback(error);
  }
};

// hostd/guest/channel/files.ts
var maxListBytes = 32 * 1024 * 1024;
var maxListEntries = 1e5;
var entriesPerTurn = 500;
var ChannelFiles = class {
  #channel;
  constructor(channel) {
    this.#channel = channel;
  }
  read(path18, options = {}) {
    return this.#download({ kind: "read-file", path: path18, parameters: [], signal: options.signal });
  }
  async archive(path18, options = {}) {
    if (options.include?.length && this.#channel.hello?.capabilities.has("include") !== true) throw noInclude(path18);
    const includes = (options.include ?? []).map((pattern) => ["include", pattern]);
    const excludes = (options.exclude ?? []).map((pattern) => ["exclude", pattern]);
    const parameters = [...includes, ...excludes, ...flag2("sparse", options.sparse)];
    return this.#download({ kind: "tar-out", path: path18, parameters, signal: options.signal });
  }
  async write(path18, content, options = {}) {
    const parameters = [...optional("mode", options.mode?.toString(8)), ...flag2("parents", options.parents)];
    const texts = await this.#upload({ kind: "write-file", path: path18, parameters, signal: options.signal }, content);
    return { sizeBytes: checked(() => parseCounts(texts)).size };
  }
  async extract(path18, archive, options = {}) {
    const parameters = optional("owner", options.owner);
    const texts = await this.#upload({ kind: "tar-in", path: path18, parameters, signal: options.signal }, archive);
    const { entries, bytes, skipped } = checked(() => parseCounts(texts));
    return { entries, bytes, skipped };
  }
  async stat(path18, options = {}) {
    const transfer = { kind: "stat", path: path18, parameters: [], signal: options.signal };
    const stream = openTransfer(this.#channel, transfer, () => void 0);
    const texts = await finishTransfer(stream, transfer);
    return checked(() => parseFileEntry(texts));
  }
  async list(path18, options = {}) {
    const parameters = flag2("recursive", options.recursive);
    const transfer = { kind: "list", path: path18, parameters, signal: options.signal };
    const parts = [];
    let receivedBytes = 0;
    const stream = openTransfer(this.#channel, transfer, (_channel, _offset, bytes) => {
      receivedBytes += bytes.length;
      if (receivedBytes > maxListBytes) throw tooManyEntries(path18);
      parts.push(Buffer.from(bytes));
      return void 0;
    });
    await finishTransfer(stream, transfer);
    return parseList(Buffer.concat(parts), path18);
  }
  async #upload(transfer, content) {
    const stream = openTransfer(this.#channel, transfer, () => void 0);
    feed(content, stream);
    return finishTransfer(stream, transfer);
  }
  async #download(transfer) {
    const output2 = new OutputReadable();
    let begun = () => void 0;
    const firstBytes = new Promise((resolve2) => {
      begun = resolve2;
    });
    const stream = openTransfer(this.#channel, transfer, (channel, offset, bytes) => {
      begun();
      return output2.consume(channel, offset, bytes);
    });
    output2.onDestroy(() => stream.close());
    const finished2 = finishTransfer(stream, transfer);
    finished2.then(
      () => output2.push(null),
      (error) => output2.destroy(error)
    );
    output2.on("error", () => void 0);
    await Promise.race([firstBytes, finished2]);
    return output2;
  }
};
async function parseList(bytes, path18) {
  const entries = [];
  for (let position = 0; position < bytes.length; ) {
    const start = position + 4;
    const end = start <= bytes.length ? start + bytes.readUInt32LE(position) : Infinity;
    if (end > bytes.length) throw streamError(new ProtocolViolation("a list entry is cut short"));
    if (entries.length === maxListEntries) throw tooManyEntries(path18);
    const block = bytes.subarray(start, end);
    entries.push(checked(() => parseListBlock(block)));
    position = end;
    if (entries.length % entriesPerTurn === 0) await nextTurn();
  }
  return entries;
}
function checked(parse2) {
  try {
    return parse2();
  } catch (error) {
    throw streamError(error);
  }
}
function noInclude(path18) {
  return new OffshootError("guest-file-error", {
    message: "The agent of this sandbox is of an older Offshoot and can not choose files by include globs.",
    hint: "Download without include. Sandboxes of snapshots keep their agent: take the snapshot anew.",
    details: { reason: "unknown-parameter", parameter: "include", path: path18 }
  });
}
function tooManyEntries(path18) {
  return new OffshootError("guest-file-error", {
    message: `${path18} has too many entries to list at once.`,
    hint: `Up to ${String(maxListEntries)} entries can be listed; list sub-folders, or download an archive.`,
    details: { reason: "too-many-entries", path: path18 }
  });
}

// hostd/guest/channel/requests.ts
async function ask(channel, kind, parameters, timeoutMs2) {
  if (channel.hello?.capabilities.has(kind) !== true)
    return { ok: false, error: "unknown-kind", message: `The agent knows no ${kind}.`, texts: {} };
  const stream = channel.openStream({
    id: channel.reserveStreamId(),
    fields: () => openFields(kind, parameters()),
    consume: () => {
      throw new ProtocolViolation(`${kind} has no data`);
    }
  });
  const timer = setTimeout(() => {
    stream.fail(unresponsive(kind, timeoutMs2));
    stream.close();
    channel.doubt();
  }, timeoutMs2);
  try {
    return await stream.ended;
  } catch (error) {
    if (error instanceof ProtocolViolation) throw protocolError(error);
    if (!(error instanceof StreamLostError)) throw error;
    throw new OffshootError("guest-unresponsive", { message: `The agent has lost ${kind}.`, details: { kind } });
  } finally {
    clearTimeout(timer);
    stream.close();
  }
}
function expectOk(kind, end) {
  if (end.ok) return end.texts;
  const code = end.error === "no-space" ? "guest-disk-full" : "guest-protocol";
  throw new OffshootError(code, {
    message: `${kind} failed: ${end.error}: ${end.message}`,
    details: { reason: end.error }
  });
}
async function metrics(channel, timeoutMs2) {
  const texts = expectOk("metrics", await ask(channel, "metrics", () => [], timeoutMs2));
  try {
    return parseMetrics(texts);
  } catch (error) {
    throw error instanceof ProtocolViolation ? protocolError(error) : error;
  }
}
async function sync(channel, timeoutMs2) {
  expectOk("sync", await ask(channel, "sync", () => [], timeoutMs2));
}
async function shutdown(channel, timeoutMs2) {
  expectOk("shutdown", await ask(channel, "shutdown", () => [], timeoutMs2));
}
async function freezeWorkload(channel, timeoutMs2) {
  const agentTimeoutMs = withinDeadline(timeoutMs2);
  const end = await ask(channel, "freeze-workload", () => [["timeout-ms", agentTimeoutMs]], timeoutMs2);
  if (!end.ok && end.error === "timeout")
    throw new OffshootError("guest-unresponsive", {
      message: `Processes in the sandbox could not be stopped within ${String(agentTimeoutMs)} ms; they go on.`,
      details: { reason: "not-frozen", operation: "freeze-workload", timeoutMs: agentTimeoutMs }
    });
  expectOk("freeze-workload", end);
}
async function thawWorkload(channel, timeoutMs2) {
  expectOk("thaw-workload", await ask(channel, "thaw-workload", () => [], timeoutMs2));
}
function withinDeadline(timeoutMs2) {
  return Math.max(1, Math.floor(timeoutMs2 * 0.8));
}
var maxHooksMs = 8e3;
var stepPattern = /^[a-z-]{1,32}$/;
async function prepareResume(channel, identity2, timeoutMs2) {
  const parameters = () => [
    ["entropy", identity2.entropy],
    ["clock-ns", `${String(Date.now())}000000`],
    ...optional("hostname", identity2.hostname),
    ...optional("machine-id", identity2.machineId),
    ...optional("boot-id", identity2.bootId),
    ...flag2("drop-streams", identity2.dropStreams),
    ...optional("generation", identity2.generation),
    ...optional("nameserver", identity2.nameserver),
    ...copiedParameters(identity2.copied, timeoutMs2)
  ];
  const end = await ask(channel, "prepare-resume", parameters, timeoutMs2);
  if (!end.ok) {
    const step2 = stepPattern.exec(end.texts["step"] ?? "")?.[0];
    throw new OffshootError("boot-failed", {
      message: `The sandbox could not take up its identity: ${end.error}: ${end.message}`,
      details: { reason: end.error, ...step2 === void 0 ? {} : { step: step2 } }
    });
  }
  if (identity2.dropStreams) channel.forgetStrays();
}
function copiedParameters(copied, timeoutMs2) {
  if (copied !== true) return [];
  return [...flag2("copied", true), ["hooks-timeout-ms", Math.min(maxHooksMs, withinDeadline(timeoutMs2))]];
}
async function ping(channel, timeoutMs2) {
  let timer;
  let giveUp;
  const answered = new Promise((resolve2, reject) => {
    giveUp = channel.ping(resolve2);
    timer = setTimeout(() => {
      reject(unresponsive("ping", timeoutMs2));
      channel.doubt();
    }, timeoutMs2);
  });
  const closed = channel.closed.then((reason2) => Promise.reject(closedError(reason2)));
  try {
    await Promise.race([answered, closed]);
  } finally {
    clearTimeout(timer);
    giveUp?.();
    closed.catch(() => void 0);
  }
}

// hostd/guest/channel/channel-guest.ts
var ChannelGuest = class {
  files;
  closed;
  #channel;
  #firstHello;
  constructor(channel, firstHello) {
    this.#channel = channel;
    this.#firstHello = firstHello;
    this.files = new ChannelFiles(channel);
    this.closed = channel.closed;
  }
  get hello() {
    return this.#channel.hello ?? this.#firstHello;
  }
  prepareResume(identity2, timeoutMs2) {
    return prepareResume(this.#channel, identity2, timeoutMs2);
  }
  freezeWorkload(timeoutMs2) {
    return freezeWorkload(this.#channel, timeoutMs2);
  }
  thawWorkload(timeoutMs2) {
    return thawWorkload(this.#channel, timeoutMs2);
  }
  exec(spec, sink, streamId) {
    return startExec(this.#channel, spec, sink, streamId);
  }
  adoptExec(streamId, receivedBytes, sink) {
    return adoptExec(this.#channel, streamId, receivedBytes, sink);
  }
  reserveStreamId(floor) {
    return this.#channel.reserveStreamId(floor);
  }
  metrics(timeoutMs2) {
    return metrics(this.#channel, timeoutMs2);
  }
  sync(timeoutMs2) {
    return sync(this.#channel, timeoutMs2);
  }
  shutdown(timeoutMs2) {
    return shutdown(this.#channel, timeoutMs2);
  }
  ping(timeoutMs2) {
    return ping(this.#channel, timeoutMs2);
  }
  closeStrays() {
    this.#channel.closeStrays();
  }
  disconnect() {
    this.#channel.disconnect();
  }
};

// hostd/guest/channel/connector.ts
var ChannelConnector = class {
  /**
   * Dials until the agent has answered. Fails with `guest-unresponsive` at helloTimeoutMs, `guest-protocol` when the
   * agent breaks the protocol again and again, `aborted` by the signal.
   */
  async connect(options) {
    const { signal, helloTimeoutMs } = options;
    if (signal?.aborted === true) throw aborted2(signal.reason);
    const channel = new GuestChannel(options.socketPath, options.midStream);
    let giveUp = () => void 0;
    const given = new Promise((_resolve, reject) => {
      giveUp = reject;
    });
    const timer = setTimeout(() => giveUp(unresponsive("the first contact", helloTimeoutMs)), helloTimeoutMs);
    const onAbort = () => giveUp(aborted2(signal?.reason));
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return new ChannelGuest(channel, await Promise.race([channel.ready, given]));
    } catch (error) {
      channel.disconnect();
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }
};

// hostd/guest/image/image-store.ts
import { mkdir as mkdir13, rm as rm22 } from "node:fs/promises";
import path16 from "node:path";

// hostd/guest/image/build-lock.ts
import { mkdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep3 } from "node:timers/promises";
var retryMs = 200;
async function lockBuilds(directory, onWait = () => void 0) {
  mkdirSync(directory, { recursive: true });
  const database = new DatabaseSync(path.join(directory, ".build-lock"));
  for (let attempt = 0; ; attempt++) {
    try {
      database.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
      return { release: () => database.close() };
    } catch (error) {
      if (!/locked|busy/i.test(String(error))) {
        database.close();
        throw error;
      }
      if (attempt === 0) onWait();
      await sleep3(retryMs);
    }
  }
}

// hostd/guest/image/build/build-root.ts
import { mkdir as mkdir9, readdir as readdir9, rm as rm18 } from "node:fs/promises";
import path10 from "node:path";

// hostd/guest/image/apt/package-cache.ts
import { link as link3, mkdir as mkdir2, readdir as readdir4, rm as rm11, stat as stat5, utimes } from "node:fs/promises";
import path2 from "node:path";
var cacheLimitBytes = 1024 * 1024 * 1024;
async function linkPackages(cache, archives) {
  await mkdir2(cache, { recursive: true });
  for (const name of await debFiles(cache)) {
    await linkUnlessThere(path2.join(cache, name), path2.join(archives, name));
  }
}
async function keepPackages(archives, cache) {
  await mkdir2(cache, { recursive: true });
  const now = /* @__PURE__ */ new Date();
  for (const name of await debFiles(archives)) {
    const kept = path2.join(cache, name);
    if (await linkUnlessThere(path2.join(archives, name), kept)) await utimes(kept, now, now);
  }
}
async function trimCache(cache, limitBytes = cacheLimitBytes) {
  const files = await Promise.all(
    (await debFiles(cache)).map(async (name) => ({
      file: path2.join(cache, name),
      stats: await stat5(path2.join(cache, name))
    }))
  );
  files.sort((a, b) => b.stats.mtimeMs - a.stats.mtimeMs);
  let bytes = 0;
  for (const { file, stats } of files) {
    bytes += stats.size;
    if (bytes > limitBytes) await rm11(file, { force: true });
  }
}
async function debFiles(directory) {
  const names3 = await readdir4(directory).catch(() => []);
  return names3.filter((name) => name.endsWith(".deb")).sort();
}
async function linkUnlessThere(from, to) {
  try {
    await link3(from, to);
    return true;
  } catch (error) {
    const code = error.code ?? "";
    if (["EEXIST", "ENOENT", "EXDEV", "EMLINK"].includes(code)) return false;
    throw error;
  }
}

// hostd/guest/image/build/bootstrap.ts
import { mkdir as mkdir3, readdir as readdir5, rm as rm12, writeFile as writeFile5 } from "node:fs/promises";
import path4 from "node:path";

// hostd/guest/image/build/contain.ts
function runContained(runner, command, args, options) {
  return runChecked(runner, "setpriv", [...containment, command, ...args], options);
}
var containment = [
  ...["--pdeathsig", "KILL", "--"],
  ...["unshare", "--mount", "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "--"],
  // whatever the umask of hostd: the guest's files are for all its users
  ...["/bin/sh", "-c", 'umask 022; exec "$@"', "contained"]
];
var enterRoot = `
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
exec chroot "$1" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$2" /bin/sh -euc "$3"
`;
function runInRoot(runner, root, text, options = {}) {
  const { variable = "OFFSHOOT_BUILD=1", ...rest } = options;
  return runContained(runner, "/bin/sh", ["-euc", enterRoot, "enter", root, variable, text], rest);
}

// hostd/guest/image/build/context.ts
import path3 from "node:path";
function rootOf(context) {
  return path3.join(context.workDirectory, "root");
}
var stepTimeoutMs = 45 * 6e4;

// hostd/guest/image/build/bootstrap.ts
var dpkgOptions = [
  "path-exclude=/usr/share/doc/*",
  "path-include=/usr/share/doc/*/copyright",
  "path-exclude=/usr/share/man/*",
  "path-exclude=/usr/share/info/*",
  "path-exclude=/usr/share/lintian/*",
  "path-exclude=/usr/share/locale/*",
  "force-unsafe-io"
];
function kernelDownloads(context) {
  return path4.join(context.workDirectory, "kernel");
}
function archivesOf(root) {
  return path4.join(root, "var/cache/apt/archives");
}
async function bootstrap(context) {
  const { plan, workDirectory } = context;
  const [root, kernel] = [rootOf(context), kernelDownloads(context)];
  await mkdir3(archivesOf(root), { recursive: true });
  await mkdir3(kernel, { recursive: true });
  await linkPackages(context.packageCache, archivesOf(root));
  const settings = path4.join(workDirectory, "apt.conf");
  await writeFile5(settings, `${renderAptForHost(context.host.aptSettings)}APT::Sandbox::User "root";
Acquire::Languages "none";
`, {
    mode: 384
  });
  await runContained(context.runner, "mmdebstrap", await bootstrapArguments(context, settings), {
    timeoutMs: stepTimeoutMs,
    onLine: context.onLine,
    env: {
      ...process.env,
      OFFSHOOT_KERNEL_PACKAGE: plan.suite.kernelPackage,
      OFFSHOOT_KERNEL_INTO: kernel,
      OFFSHOOT_PACKAGE_CACHE: context.packageCache
    }
  });
  await rm12(path4.join(root, "etc/apt/apt.conf.d/99mmdebstrap"), { force: true });
}
async function bootstrapArguments(context, settings) {
  const { plan, workDirectory } = context;
  const sources = path4.join(workDirectory, "offshoot.sources");
  if (plan.aptSources !== void 0) await writeFile5(sources, renderDeb822(plan.aptSources), { mode: 384 });
  return [
    "--mode=root",
    "--format=directory",
    "--variant=minbase",
    `--include=${plan.packages.join(",")}`,
    `--aptopt=${settings}`,
    ...dpkgOptions.map((option) => `--dpkgopt=${option}`),
    // The .deb files stay until they are moved to the cache; the root is not empty because they lie in it from the start.
    "--skip=check/empty,essential/unlink,cleanup/apt/cache",
    `--customize-hook=${installation.downloadKernelScript}`,
    plan.suite.name,
    rootOf(context),
    ...plan.aptSources === void 0 ? [] : [sources]
  ];
}
async function downloadedKernels(context) {
  const directory = kernelDownloads(context);
  return (await readdir5(directory)).filter((name) => name.endsWith(".deb")).map((name) => path4.join(directory, name));
}

// hostd/guest/image/build/disk.ts
import { open as open7 } from "node:fs/promises";
async function makeDisk(context, file) {
  const handle = await open7(file, "wx", 420);
  await handle.truncate(context.plan.recipe.diskMiB * 1024 * 1024);
  await handle.close();
  await runChecked(
    context.runner,
    "mkfs.ext4",
    [
      ...["-q", "-F", "-b", "4096", "-m", "0", "-L", "offshoot", "-O", "64bit,^orphan_file", "-J", "size=32"],
      ...["-E", "lazy_itable_init=0,lazy_journal_init=0,root_owner=0:0", "-d", rootOf(context), file]
    ],
    { timeoutMs: stepTimeoutMs, onLine: context.onLine }
  );
}

// hostd/guest/image/build/initramfs.ts
import { mkdir as mkdir5, readFile as readFile9, rm as rm14, writeFile as writeFile7 } from "node:fs/promises";
import path6 from "node:path";

// hostd/guest/image/build/place.ts
import { chmod as chmod6, mkdir as mkdir4, rm as rm13, stat as stat6, writeFile as writeFile6 } from "node:fs/promises";
import path5 from "node:path";
async function placeFile(root, guestPath, content, mode = 420) {
  const target = path5.join(root, guestPath);
  await placeFolder(root, path5.dirname(guestPath));
  await rm13(target, { force: true });
  await writeFile6(target, content, { flag: "wx" });
  await chmod6(target, mode);
}
async function placeFolder(root, guestPath) {
  let folder = root;
  for (const part of guestPath.split("/").filter((name) => name !== "")) {
    folder = path5.join(folder, part);
    if (await stat6(folder).catch(() => void 0) !== void 0) continue;
    await mkdir4(folder);
    await chmod6(folder, 493);
  }
}

// hostd/guest/image/build/initramfs.ts
async function packArchive(runner, directory, names3, archive) {
  await runChecked(
    runner,
    "cpio",
    ["--create", "--format=newc", "--quiet", "--owner=+0:+0", "--reproducible", `--file=${archive}`],
    { cwd: directory, input: names3.map((name) => `${name}
`).join("") }
  );
}
async function makeInitramfs(runner, parts, file) {
  const staging = path6.join(parts.workDirectory, "init-staging");
  await mkdir5(staging, { recursive: true });
  await placeFile(staging, "init", parts.agent, 493);
  const agentArchive = path6.join(parts.workDirectory, "agent.cpio");
  await packArchive(runner, staging, ["init"], agentArchive);
  await writeFile7(file, Buffer.concat([await readFile9(agentArchive), await readFile9(parts.modulesArchive)]));
  await rm14(staging, { recursive: true, force: true });
  await rm14(agentArchive);
}

// hostd/guest/image/build/kernel.ts
import { mkdir as mkdir6, readFile as readFile11, readdir as readdir6, rename as rename5, rm as rm15, writeFile as writeFile8 } from "node:fs/promises";
import path7 from "node:path";

// hostd/guest/image/kernel/decompress.ts
import { spawn as spawn3 } from "node:child_process";
import { readFile as readFile10 } from "node:fs/promises";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
function runCheckedBytes(command, args, input) {
  return new Promise((resolve2, reject) => {
    const child = spawn3(command, args, { stdio: ["pipe", "pipe", "pipe"] });
    const [output2, errors] = [[], []];
    child.stdout.on("data", (chunk) => output2.push(chunk));
    child.stderr.on("data", (chunk) => errors.push(chunk));
    child.stdin.on("error", () => void 0);
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve2(Buffer.concat(output2));
      else reject(new Error(`${command}: exit code ${String(code)}: ${Buffer.concat(errors).toString("utf8").trim()}`));
    });
    child.stdin.end(input);
  });
}
async function readModule(path18) {
  const bytes = await readFile10(path18);
  if (path18.endsWith(".xz")) return runCheckedBytes("xz", ["-dc"], bytes);
  if (path18.endsWith(".zst")) return zstdDecompressSync(bytes);
  if (path18.endsWith(".gz")) return gunzipSync(bytes);
  return bytes;
}

// hostd/guest/image/kernel/modules.ts
var earlyModules = [
  "virtio_mmio",
  "virtio_blk",
  "virtio_console",
  "virtio_net",
  "virtio_rng",
  "ext4",
  "crc32c_generic"
];
function parseModulesDep(text) {
  const modules = /* @__PURE__ */ new Map();
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    if (colon < 1) continue;
    modules.set(
      line.slice(0, colon),
      line.slice(colon + 1).split(" ").filter((path18) => path18 !== "")
    );
  }
  return modules;
}
function moduleName(path18) {
  const file = path18.slice(path18.lastIndexOf("/") + 1);
  return file.replace(/\.ko(\.[a-z0-9]+)?$/, "").replaceAll("-", "_");
}
function loadOrder(dependencies, wanted) {
  const byName = new Map([...dependencies.keys()].map((path18) => [moduleName(path18), path18]));
  const ordered = /* @__PURE__ */ new Set();
  const visit = (path18, above) => {
    if (ordered.has(path18)) return;
    if (above.includes(path18)) throw new Error(`modules need each other: ${[...above, path18].join(" -> ")}`);
    for (const needed of dependencies.get(path18) ?? []) visit(needed, [...above, path18]);
    ordered.add(path18);
  };
  for (const name of wanted) {
    const path18 = byName.get(name);
    if (path18 !== void 0) visit(path18, []);
  }
  return [...ordered];
}

// hostd/guest/image/kernel/vmlinux.ts
import { zstdDecompressSync as zstdDecompressSync2, gunzipSync as gunzipSync2 } from "node:zlib";
var KernelFormatError = class extends Error {
  name = "KernelFormatError";
};
var headerMagic = "HdrS";
var lowestProtocol = 520;
function bzImagePayload(image) {
  if (image.length < 592 || image.toString("latin1", 514, 518) !== headerMagic) {
    throw new KernelFormatError("not a bzImage: no boot header");
  }
  if (image.readUInt16LE(518) < lowestProtocol) throw new KernelFormatError("boot protocol older than 2.08");
  const setupSectors = image[497] || 4;
  const start = (setupSectors + 1) * 512 + image.readUInt32LE(584);
  const length = image.readUInt32LE(588);
  if (length < 8 || start + length > image.length) throw new KernelFormatError("the payload lies outside the file");
  return image.subarray(start, start + length);
}
function detectCompression(payload) {
  const starts = (hex) => payload.subarray(0, hex.length / 2).toString("hex") === hex;
  if (starts("28b52ffd")) return "zstd";
  if (starts("02214c18")) return "lz4";
  if (starts("fd377a585a00")) return "xz";
  if (starts("1f8b08")) return "gzip";
  if (starts("7f454c46")) return "none";
  throw new KernelFormatError(`unknown compression (${payload.subarray(0, 6).toString("hex")})`);
}
async function extractVmlinux(image) {
  const payload = bzImagePayload(image);
  const compression = detectCompression(payload);
  const kernel = await decompress(payload, compression);
  if (kernel.length < 64 || kernel.toString("latin1", 1, 4) !== "ELF")
    throw new KernelFormatError("the payload is no ELF file");
  if (!hasPvhNote(kernel)) throw new KernelFormatError("the kernel has no PVH entry point");
  return kernel;
}
async function decompress(payload, compression) {
  const body = payload.subarray(0, payload.length - 4);
  const expected = payload.readUInt32LE(payload.length - 4);
  switch (compression) {
    case "none":
      return payload;
    case "gzip":
      return gunzipSync2(payload);
    case "zstd":
      return checked2(zstdDecompressSync2(body), expected);
    case "lz4":
      return checked2(await runCheckedBytes("lz4", ["-dc"], body), expected);
    case "xz":
      return checked2(await runCheckedBytes("xz", ["-dc"], body), expected);
  }
}
function checked2(kernel, expectedBytes) {
  if (kernel.length === expectedBytes) return kernel;
  throw new KernelFormatError(`decompressed to ${String(kernel.length)} bytes instead of ${String(expectedBytes)}`);
}
var noteSegment = 4;
var pvhEntryNote = 18;
function hasPvhNote(elf) {
  if (elf.length < 64 || elf[4] !== 2 || elf[5] !== 1) return false;
  const tableOffset = Number(elf.readBigUInt64LE(32));
  const [entrySize, entries] = [elf.readUInt16LE(54), elf.readUInt16LE(56)];
  if (entrySize < 56 || tableOffset + entrySize * entries > elf.length) return false;
  for (let index = 0; index < entries; index++) {
    const header = elf.subarray(tableOffset + index * entrySize, tableOffset + (index + 1) * entrySize);
    if (header.readUInt32LE(0) !== noteSegment) continue;
    const offset = Number(header.readBigUInt64LE(8));
    if (notesHavePvhEntry(elf.subarray(offset, offset + Number(header.readBigUInt64LE(32))))) return true;
  }
  return false;
}
function notesHavePvhEntry(notes) {
  const aligned = (size) => size + 3 & ~3;
  let at = 0;
  while (at + 12 <= notes.length) {
    const [nameSize, descriptionSize, type] = [
      notes.readUInt32LE(at),
      notes.readUInt32LE(at + 4),
      notes.readUInt32LE(at + 8)
    ];
    const name = notes.toString("latin1", at + 12, at + 12 + Math.max(0, nameSize - 1));
    if (name === "Xen" && type === pvhEntryNote) return true;
    at += 12 + aligned(nameSize) + aligned(descriptionSize);
  }
  return false;
}

// hostd/guest/image/build/kernel.ts
function earlyModulesDirectory(context) {
  return path7.join(context.workDirectory, "early");
}
async function installKernel(context, kernelFile) {
  const unpacked = path7.join(kernelDownloads(context), "unpacked");
  for (const deb of await downloadedKernels(context)) {
    await runChecked(context.runner, "dpkg-deb", ["-x", deb, unpacked], { timeoutMs: stepTimeoutMs });
  }
  const version = await kernelVersion(unpacked);
  await writeBootable(context, path7.join(unpacked, "boot", `vmlinuz-${version}`), kernelFile);
  const modules = path7.join(rootOf(context), "usr/lib/modules");
  await placeFolder(rootOf(context), "usr/lib/modules");
  await rename5(await modulesOf(unpacked, version), path7.join(modules, version));
  await runInRoot(context.runner, rootOf(context), `depmod ${version}`, { timeoutMs: stepTimeoutMs });
  await writeEarlyModules(path7.join(modules, version), earlyModulesDirectory(context));
  await rm15(unpacked, { recursive: true, force: true });
  return version;
}
async function kernelVersion(unpacked) {
  const names3 = await readdir6(path7.join(unpacked, "boot")).catch(() => []);
  const version = names3.find((name) => name.startsWith("vmlinuz-"))?.slice("vmlinuz-".length);
  if (version === void 0 || !/^[\w.+~-]+$/.test(version)) throw new Error("the kernel package holds no kernel");
  return version;
}
async function writeBootable(context, vmlinuz, kernelFile) {
  const image = await readFile11(vmlinuz);
  try {
    await writeFile8(kernelFile, await extractVmlinux(image));
  } catch (error) {
    if (!(error instanceof KernelFormatError)) throw error;
    context.onLine(`the kernel stays compressed: ${error.message}`);
    await writeFile8(kernelFile, image);
  }
}
async function modulesOf(unpacked, version) {
  for (const parent of ["usr/lib/modules", "lib/modules"]) {
    const directory = path7.join(unpacked, parent, version);
    if ((await readdir6(directory).catch(() => [])).length > 0) return directory;
  }
  throw new Error(`no modules for kernel ${version} in its packages`);
}
async function writeEarlyModules(modules, into) {
  const order = loadOrder(parseModulesDep(await readFile11(path7.join(modules, "modules.dep"), "utf8")), earlyModules);
  await mkdir6(path7.join(into, "modules"), { recursive: true });
  const names3 = [];
  for (const relative3 of order) {
    const name = `/modules/${moduleName(relative3)}.ko`;
    await writeFile8(path7.join(into, name), await readModule(path7.join(modules, relative3)));
    names3.push(name);
  }
  await writeFile8(path7.join(into, "modules.list"), names3.map((name) => `${name}
`).join(""));
}

// hostd/guest/image/build/npm-packages.ts
import { mkdir as mkdir7, readdir as readdir7, rm as rm16, symlink } from "node:fs/promises";
import path8 from "node:path";
async function installNpmPackages(context) {
  const { npmPackages } = context.plan.recipe;
  const downloads = path8.join(context.workDirectory, "npm");
  for (const [index, entry] of npmPackages.entries()) {
    const into = path8.join(downloads, String(index));
    await mkdir7(into, { recursive: true });
    const pinned = `${entry.name}@${entry.version}`;
    await runChecked(context.runner, "npm", ["pack", pinned, "--ignore-scripts", "--pack-destination", into], {
      cwd: into,
      timeoutMs: stepTimeoutMs
    });
    const tarball = (await readdir7(into)).find((name) => name.endsWith(".tgz"));
    if (tarball === void 0) throw new Error(`npm pack ${pinned} left no file`);
    context.onLine(`${pinned} -> ${entry.into}`);
    await unpack(context, entry, path8.join(into, tarball));
  }
  await rm16(downloads, { recursive: true, force: true });
}
async function unpack(context, entry, tarball) {
  const root = rootOf(context);
  const into = path8.join(root, entry.into);
  await placeFolder(root, entry.into);
  const members = entry.keep === void 0 ? [] : entry.keep.map((name) => `package/${name}`);
  await runChecked(
    context.runner,
    "tar",
    ["-xzf", tarball, "-C", into, "--strip-components=1", "--no-same-owner", ...members],
    { timeoutMs: stepTimeoutMs }
  );
  const commands = path8.join(root, "usr/local/bin");
  await placeFolder(root, "usr/local/bin");
  for (const [command, file] of Object.entries(entry.commands ?? {})) {
    const link6 = path8.join(commands, command);
    await rm16(link6, { force: true });
    await symlink(path8.relative("/usr/local/bin", path8.join(entry.into, file)), link6);
  }
}

// hostd/guest/image/build/settle.ts
import { mkdir as mkdir8, readFile as readFile12, readdir as readdir8, rm as rm17 } from "node:fs/promises";
import path9 from "node:path";
async function settleRoot(context, kernelVersion2) {
  await trustCertificates(context);
  await writeConfiguration(context, kernelVersion2);
  for (const step2 of context.plan.recipe.steps) {
    context.onLine(step2.name);
    await runInRoot(context.runner, rootOf(context), step2.run, { timeoutMs: stepTimeoutMs, onLine: context.onLine });
  }
  await cleanRoot(rootOf(context));
}
async function trustCertificates(context) {
  const root = rootOf(context);
  const present = parseLenient(await readFile12(path9.join(root, guestBundle), "utf8").catch(() => ""));
  const missing = missingCertificates(context.plan.certificates, present);
  for (const { fingerprint, pem } of missing) {
    await placeFile(root, `/usr/local/share/ca-certificates/offshoot-${fingerprint.slice(0, 16)}.crt`, pem);
  }
  if (context.plan.certificates.length > 0) {
    await placeFile(root, extraBundle, missing.map((certificate) => certificate.pem).join(""));
  }
  if (missing.length === 0) return;
  context.onLine(`${String(missing.length)} more certificate authorities`);
  await runInRoot(context.runner, root, "update-ca-certificates", { timeoutMs: stepTimeoutMs, onLine: context.onLine });
}
async function writeConfiguration(context, kernelVersion2) {
  const root = rootOf(context);
  const { plan } = context;
  const environment = Object.entries(plan.environment).map(([name, value]) => `${name}=${value}
`);
  const about = {
    suite: plan.suite.name,
    kernel: kernelVersion2,
    packages: plan.packages,
    npmPackages: plan.recipe.npmPackages.map(({ name, version }) => `${name}@${version}`),
    rootDigest: plan.rootDigest
  };
  const files = {
    "/etc/offshoot/env": environment.join(""),
    "/etc/offshoot/image.json": `${JSON.stringify(about, null, 2)}
`,
    "/etc/hostname": "offshoot\n",
    "/etc/hosts": "127.0.0.1 localhost offshoot\n::1 localhost ip6-localhost ip6-loopback\n",
    "/etc/resolv.conf": "",
    "/etc/machine-id": "",
    "/etc/fstab": "/dev/vda / ext4 defaults 0 0\n",
    "/etc/dpkg/dpkg.cfg.d/offshoot": dpkgOptions.map((option) => `${option}
`).join(""),
    ...plan.guestFiles
  };
  for (const [name, text] of Object.entries(files)) await placeFile(root, name, text);
  await rm17(path9.join(root, "etc/dpkg/dpkg.cfg.d/99mmdebstrap"), { force: true });
  if (plan.aptSources !== void 0) await replaceSources(root, plan.suite.distribution, plan.aptSources);
  await placeFolder(root, "workspace");
}
async function replaceSources(root, distribution, sources) {
  const parts = path9.join(root, "etc/apt/sources.list.d");
  for (const name of await readdir8(parts)) await rm17(path9.join(parts, name));
  await rm17(path9.join(root, "etc/apt/sources.list"), { force: true });
  await placeFile(root, `/etc/apt/sources.list.d/${distribution}.sources`, renderDeb822(withoutCredentials(sources)));
  for (const { signedBy } of sources) {
    if (signedBy?.startsWith("/") === true) await copyKeyring(root, signedBy);
  }
}
async function copyKeyring(root, keyring) {
  const there = await readFile12(path9.join(root, keyring)).catch(() => void 0);
  if (there === void 0) await placeFile(root, keyring, await readFile12(keyring));
}
async function cleanRoot(root) {
  const archives = archivesOf(root);
  const emptied = ["boot", "tmp", "var/tmp", "run", "var/lib/apt/lists", "var/cache/debconf", "var/log", "root/.npm", "root/.cache"];
  const caches = ["var/cache/apt/pkgcache.bin", "var/cache/apt/srcpkgcache.bin", "var/lib/dpkg/status-old", "var/cache/ldconfig/aux-cache"];
  for (const name of emptied) {
    const directory = path9.join(root, name);
    for (const entry of await readdir8(directory).catch(() => [])) await rm17(path9.join(directory, entry), { recursive: true, force: true });
  }
  for (const name of caches) await rm17(path9.join(root, name), { force: true });
  for (const name of await readdir8(archives).catch(() => [])) await rm17(path9.join(archives, name), { recursive: true, force: true });
  await mkdir8(path9.join(archives, "partial"), { recursive: true });
  await mkdir8(path9.join(root, "var/lib/apt/lists/partial"), { recursive: true });
  await mkdir8(path9.join(root, "var/log/apt"), { recursive: true });
}

// hostd/guest/image/build/build-root.ts
var imageFiles = {
  rootDisk: "root.ext4",
  kernel: "vmlinux",
  initramfs: "initramfs.cpio",
  modules: "modules.cpio"
};
var scratchName = "scratch";
var rootSteps = ["packages", "node", "kernel", "configuration", "disk"];
function createRootBuilder(runner) {
  return {
    async build({ plan, host, directory, packageCache, onLine, onStep }) {
      const workDirectory = path10.join(directory, scratchName);
      await mkdir9(workDirectory, { recursive: true });
      const context = { plan, host, runner, workDirectory, packageCache, onLine };
      onStep("packages");
      await bootstrap(context);
      onStep("node");
      await installNpmPackages(context);
      onStep("kernel");
      const kernelVersion2 = await installKernel(context, path10.join(directory, imageFiles.kernel));
      await salvagePackages(directory, packageCache);
      onStep("configuration");
      await settleRoot(context, kernelVersion2);
      onStep("disk");
      await makeDisk(context, path10.join(directory, imageFiles.rootDisk));
      await packModules(runner, earlyModulesDirectory(context), path10.join(directory, imageFiles.modules));
      await rm18(workDirectory, { recursive: true, force: true });
      return { kernelVersion: kernelVersion2 };
    }
  };
}
async function salvagePackages(directory, packageCache) {
  const scratch = { workDirectory: path10.join(directory, scratchName) };
  await keepPackages(archivesOf(path10.join(scratch.workDirectory, "root")), packageCache);
  await keepPackages(path10.join(scratch.workDirectory, "kernel"), packageCache);
  await trimCache(packageCache);
}
async function packModules(runner, early, archive) {
  const modules = (await readdir9(path10.join(early, "modules"))).sort().map((name) => `modules/${name}`);
  await packArchive(runner, early, ["modules", ...modules, "modules.list"], archive);
}

// hostd/guest/image/host-tools.ts
import { access as access4, constants as constants6, statfs } from "node:fs/promises";
import path11 from "node:path";
var tools = {
  mmdebstrap: "mmdebstrap",
  "apt-get": "apt",
  "dpkg-deb": "dpkg",
  "mkfs.ext4": "e2fsprogs",
  cpio: "cpio",
  xz: "xz-utils",
  lz4: "lz4",
  setpriv: "util-linux",
  unshare: "util-linux",
  npm: "npm"
};
var requiredFreeMiB = 3072;
async function checkHost(stateDirectory, env = process.env, uid = process.getuid?.()) {
  if (uid !== 0) {
    throw new OffshootError("not-root", {
      message: "Building an image needs root: it unpacks packages with their owners and enters the new root.",
      hint: "Run it with sudo."
    });
  }
  for (const [tool, debianPackage] of Object.entries(tools)) {
    if (await isOnPath(tool, env["PATH"] ?? "")) continue;
    throw new OffshootError("tool-missing", {
      message: `Building an image needs ${tool}.`,
      hint: `Install it: apt-get install ${debianPackage}`,
      details: { tool, package: debianPackage }
    });
  }
  const { bavail, bsize } = await statfs(stateDirectory);
  const freeMiB = Math.floor(bavail * bsize / 1024 / 1024);
  if (freeMiB < requiredFreeMiB) throw diskFull(stateDirectory, freeMiB);
}
function diskFull(stateDirectory, freeMiB) {
  return new OffshootError("host-disk-full", {
    message: `Building an image needs ${String(requiredFreeMiB)} MiB free in ${stateDirectory}; there are ${String(freeMiB)}.`,
    details: { freeMiB, requiredFreeMiB }
  });
}
async function isOnPath(tool, searchPath) {
  for (const directory of searchPath.split(path11.delimiter)) {
    const found = await access4(path11.join(directory, tool), constants6.X_OK).then(
      () => true,
      () => false
    );
    if (found) return true;
  }
  return false;
}

// hostd/guest/image/image-folders.ts
import { randomBytes as randomBytes2 } from "node:crypto";
import { open as open8, readFile as readFile13, readdir as readdir10, rename as rename6, rm as rm19, stat as stat7 } from "node:fs/promises";
import path12 from "node:path";

// hostd/guest/image/image.ts
var imageManifestSchema = external_exports.object({
  formatVersion: external_exports.literal(1),
  name: external_exports.string(),
  /** Changes with every build; a template belongs to one digest. */
  digest: external_exports.string(),
  suite: external_exports.string(),
  architecture: external_exports.literal("amd64"),
  include: external_exports.array(external_exports.string()),
  /** Digest of what the caller asked for; another one under the same name is another image. */
  requestDigest: external_exports.string(),
  /** Digest of all that goes into the root disk (recipe, suite, packages, certificates, configuration): the same means it can be reused. */
  rootDigest: external_exports.string(),
  /** Digest of the root disk's inputs and the agent: the same means nothing to rebuild. */
  recipeDigest: external_exports.string(),
  kernelVersion: external_exports.string(),
  agentBuild: external_exports.string(),
  agentProtocol: external_exports.number().int(),
  diskMiB: external_exports.number().int(),
  /** Allocated on the host's disk. */
  storedMiB: external_exports.number(),
  /** Below it the kernel does not reach a ready agent. */
  minMemoryMiB: external_exports.number().int(),
  /** What this kernel wants on its command line whatever the machine. */
  kernelArguments: external_exports.array(external_exports.string()),
  createdAt: external_exports.iso.datetime(),
  files: external_exports.object({ rootDisk: external_exports.string(), kernel: external_exports.string(), initramfs: external_exports.string(), modules: external_exports.string() }),
  /** Sizes by file name, to notice a damaged image without reading it. */
  fileSizesBytes: external_exports.record(external_exports.string(), external_exports.number().int())
});

// hostd/guest/image/image-folders.ts
var manifestName = "manifest.json";
var buildingPrefix = ".building-";
var replacedPrefix = ".replaced-";
var namePattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;
function checkImageName(name) {
  if (namePattern.test(name)) return;
  throw new OffshootError("invalid-request", {
    message: `${JSON.stringify(name.slice(0, 80))} is no image name: lower-case letters, digits, dots, dashes and underscores, at most 63.`
  });
}
function newBuildFolder(images, name) {
  return path12.join(images, `${buildingPrefix}${randomBytes2(6).toString("hex")}-${name}`);
}
async function imageNames(images) {
  const entries = await readdir10(images, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory() && namePattern.test(entry.name)).map((entry) => entry.name);
}
async function readImage(images, name) {
  const directory = path12.join(images, name);
  const known = namePattern.test(name) && (await stat7(directory).catch(() => void 0))?.isDirectory() === true;
  if (!known) {
    throw new OffshootError("image-not-found", {
      message: `There is no image named ${JSON.stringify(name.slice(0, 80))}.`
    });
  }
  const manifest = await readManifest(directory);
  const reason2 = manifest === void 0 ? `${manifestName} is missing or not valid` : await damage(directory, manifest);
  if (manifest !== void 0 && reason2 === void 0) return { directory, manifest };
  throw new OffshootError("image-broken", {
    message: `The image ${name} is damaged: ${reason2 ?? "unknown"}.`,
    hint: `Build it again: offshoot image build ${name} --rebuild.`,
    details: { image: name, reason: reason2 }
  });
}
async function readManifest(directory) {
  try {
    const parsed = imageManifestSchema.safeParse(
      JSON.parse(await readFile13(path12.join(directory, manifestName), "utf8"))
    );
    return parsed.success ? parsed.data : void 0;
  } catch {
    return void 0;
  }
}
async function damage(directory, manifest) {
  for (const file of Object.values(manifest.files)) {
    const size = (await stat7(path12.join(directory, file)).catch(() => void 0))?.size;
    if (size === void 0) return `${file} is missing`;
    const expected = manifest.fileSizesBytes[file];
    if (size !== expected) return `${file} has ${String(size)} bytes instead of ${String(expected)}`;
  }
  return void 0;
}
async function publish(images, name, building) {
  for (const file of await readdir10(building)) await syncPath(path12.join(building, file));
  await syncPath(building);
  const target = path12.join(images, name);
  const replaced = path12.join(images, `${replacedPrefix}${randomBytes2(6).toString("hex")}-${name}`);
  await rename6(target, replaced).catch(ignoreMissing);
  await rename6(building, target);
  await syncPath(images);
  await rm19(replaced, { recursive: true, force: true });
}
async function sweepFolders(images, beforeRemoval) {
  for (const entry of await readdir10(images).catch(() => [])) {
    const leftover = path12.join(images, entry);
    const name = /^\.building-[0-9a-f]{12}-(.+)$/.exec(entry)?.[1];
    if (name !== void 0) {
      const finished2 = await readManifest(leftover) !== void 0;
      const missing = await stat7(path12.join(images, name)).catch(() => void 0) === void 0;
      if (finished2 && missing) {
        await publish(images, name, leftover);
        continue;
      }
      await beforeRemoval(leftover);
    }
    if (name !== void 0 || entry.startsWith(replacedPrefix)) await rm19(leftover, { recursive: true, force: true });
  }
}
async function syncPath(target) {
  const handle = await open8(target, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
function ignoreMissing(error) {
  if (error.code !== "ENOENT") throw error;
}

// hostd/guest/image/make-image.ts
import { chmod as chmod7, link as link4, mkdir as mkdir11, rm as rm20, stat as stat8, writeFile as writeFile9 } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import path14 from "node:path";

// hostd/guest/image/build-failure.ts
var noSpace = /ENOSPC|No space left on device|don't have enough free space|not enough space/i;
function buildFailure(error, at) {
  if (isOffshootError(error)) return error;
  const text = error instanceof Error ? error.message : String(error);
  const details = { image: at.image, step: at.step, log: at.log, lines: at.lines.slice(-20) };
  if (noSpace.test(text) || at.lines.some((line) => noSpace.test(line))) {
    return new OffshootError("host-disk-full", {
      message: `The disk filled up while the image ${at.image} was built (step ${at.step}).`,
      details,
      cause: error
    });
  }
  return new OffshootError("image-build-failed", {
    message: `The image ${at.image} could not be built: step ${at.step}: ${reason(error, at.lines)}`,
    hint: `The whole log is ${at.log}. A second try continues with what was downloaded.`,
    details,
    cause: error
  });
}
function reason(error, lines2) {
  if (error instanceof CommandError) {
    const said = error.result.stderr.trim().split("\n").at(-1) ?? "";
    return said === "" ? lines2.at(-1) ?? error.message.slice(0, 600) : said.slice(-600);
  }
  return (error instanceof Error ? error.message : String(error)).slice(0, 600);
}

// hostd/guest/image/build-log.ts
import { createWriteStream } from "node:fs";
import { mkdir as mkdir10 } from "node:fs/promises";
import path13 from "node:path";
var keptLines = 60;
var BuildLog = class _BuildLog {
  path;
  lastLines = [];
  #stream;
  constructor(file, stream) {
    this.path = file;
    this.#stream = stream;
  }
  /** Starts the file anew. */
  static async create(file) {
    await mkdir10(path13.dirname(file), { recursive: true });
    const stream = createWriteStream(file);
    stream.on("error", () => void 0);
    return new _BuildLog(file, stream);
  }
  write(line) {
    this.#stream.write(`${line}
`);
    this.lastLines.push(line);
    if (this.lastLines.length > keptLines) this.lastLines.shift();
  }
  close() {
    return new Promise((resolve2) => this.#stream.end(resolve2));
  }
};

// hostd/guest/image/make-image.ts
var steps2 = [...rootSteps, "initramfs", "finish"];
async function makeImage(wanted, options) {
  const { images, runner, report } = options;
  const building = newBuildFolder(images, wanted.name);
  const log = await BuildLog.create(options.log);
  let current = steps2[0];
  const begin = (step2) => {
    current = step2;
    log.write(`== ${step2}`);
    report({ step: step2, done: steps2.indexOf(step2), total: steps2.length });
  };
  const onLine = (line) => {
    log.write(line);
    report({ step: current, done: steps2.findIndex((step2) => step2 === current), total: steps2.length, line });
  };
  try {
    await mkdir11(building);
    const kernelVersion2 = await reuseRoot(wanted, images, building) ?? (await buildRoot(wanted, options, building, onLine, begin)).kernelVersion;
    begin("initramfs");
    const at = (file) => path14.join(building, file);
    await makeInitramfs(
      runner,
      { agent: wanted.agent.bytes, modulesArchive: at(imageFiles.modules), workDirectory: building },
      at(imageFiles.initramfs)
    );
    begin("finish");
    await writeManifest(building, wanted, kernelVersion2);
    await publish(images, wanted.name, building);
    report({ step: "done", done: steps2.length, total: steps2.length });
    return await readImage(images, wanted.name);
  } catch (error) {
    await salvagePackages(building, options.packageCache).catch(() => void 0);
    await rm20(building, { recursive: true, force: true });
    throw buildFailure(error, { image: wanted.name, step: current, log: log.path, lines: log.lastLines });
  } finally {
    await log.close();
  }
}
async function buildRoot(wanted, options, building, onLine, onStep) {
  const { plan, host } = wanted;
  return options.rootBuilder.build({
    plan,
    host,
    directory: building,
    packageCache: options.packageCache,
    onLine,
    onStep
  });
}
async function reuseRoot(wanted, images, building) {
  if (wanted.rebuild) return void 0;
  const present = await readImage(images, wanted.name).catch(() => void 0);
  if (present?.manifest.rootDigest !== wanted.plan.rootDigest) return void 0;
  for (const file of [imageFiles.rootDisk, imageFiles.kernel, imageFiles.modules]) {
    await link4(path14.join(present.directory, file), path14.join(building, file));
  }
  return present.manifest.kernelVersion;
}
async function writeManifest(building, wanted, kernelVersion2) {
  const { plan, agent } = wanted;
  const fileSizesBytes = {};
  let storedBytes = 0;
  for (const file of Object.values(imageFiles)) {
    const target = path14.join(building, file);
    await chmod7(target, 420);
    const stats = await stat8(target);
    fileSizesBytes[file] = stats.size;
    storedBytes += stats.blocks * 512;
  }
  const facts = {
    formatVersion: 1,
    name: wanted.name,
    suite: plan.suite.name,
    architecture: "amd64",
    include: [...wanted.include],
    requestDigest: plan.requestDigest,
    rootDigest: plan.rootDigest,
    recipeDigest: wanted.recipeDigest,
    kernelVersion: kernelVersion2,
    agentBuild: agent.build,
    agentProtocol: agentProtocolVersion,
    diskMiB: plan.recipe.diskMiB,
    storedMiB: Math.ceil(storedBytes / 1024 / 1024),
    minMemoryMiB: plan.suite.minMemoryMiB,
    kernelArguments: plan.recipe.kernelArguments,
    createdAt: (/* @__PURE__ */ new Date()).toISOString(),
    files: imageFiles,
    fileSizesBytes
  };
  const manifest = { ...facts, digest: digestOf({ facts, build: randomUUID() }) };
  await rm20(path14.join(building, scratchName), { recursive: true, force: true });
  await chmod7(building, 493);
  await writeFile9(path14.join(building, manifestName), `${JSON.stringify(manifest, null, 2)}
`, { mode: 420 });
}

// hostd/guest/image/renew-agent.ts
import { randomUUID as randomUUID2 } from "node:crypto";
import { chmod as chmod8, link as link5, mkdir as mkdir12, rm as rm21, stat as stat9, writeFile as writeFile10 } from "node:fs/promises";
import path15 from "node:path";
async function renewAgent(image, agent, { images, runner }) {
  const { manifest } = image;
  const building = newBuildFolder(images, manifest.name);
  const at = (file) => path15.join(building, file);
  try {
    await mkdir12(building);
    const { initramfs, ...taken } = manifest.files;
    for (const file of Object.values(taken)) await link5(path15.join(image.directory, file), at(file));
    const parts = { agent: agent.bytes, modulesArchive: at(taken.modules), workDirectory: building };
    await makeInitramfs(runner, parts, at(initramfs));
    await chmod8(at(initramfs), 420);
    const { digest: _earlier, ...before } = manifest;
    const facts = {
      ...before,
      recipeDigest: recipeDigestFrom(manifest, agent.digest),
      agentBuild: agent.build,
      agentProtocol: agentProtocolVersion,
      fileSizesBytes: { ...manifest.fileSizesBytes, [initramfs]: (await stat9(at(initramfs))).size }
    };
    const renewed = { ...facts, digest: digestOf({ facts, build: randomUUID2() }) };
    await chmod8(building, 493);
    await writeFile10(at(manifestName), `${JSON.stringify(renewed, null, 2)}
`, { mode: 420 });
    await publish(images, manifest.name, building);
    return await readImage(images, manifest.name);
  } catch (error) {
    await rm21(building, { recursive: true, force: true });
    const { code, message } = buildFailure(error, { image: manifest.name, step: "agent", log: "", lines: [] });
    throw new OffshootError(code, {
      message,
      ...code === "image-build-failed" && {
        hint: `Build it again: offshoot image build ${manifest.name} --rebuild.`
      },
      details: { image: manifest.name, step: "agent" },
      cause: error
    });
  }
}

// hostd/guest/image/image-store.ts
function createImageStore(options) {
  return new FolderImageStore(options);
}
var FolderImageStore = class {
  #options;
  #running = /* @__PURE__ */ new Map();
  #images;
  #packageCache;
  constructor(options) {
    const runner = options.runner ?? systemRunner;
    this.#options = {
      runner,
      rootBuilder: createRootBuilder(runner),
      hostConfig: (forGuests) => readHostConfig(runner, forGuests),
      checkHost,
      ...options,
      agentPath: options.agentPath
    };
    this.#images = path16.join(options.stateDirectory, "images");
    this.#packageCache = path16.join(options.stateDirectory, "cache/apt");
  }
  async list() {
    const images = await Promise.allSettled((await imageNames(this.#images)).map((name) => this.get(name)));
    return images.flatMap((image) => image.status === "fulfilled" ? [image.value] : []);
  }
  get(name) {
    return readImage(this.#images, name);
  }
  async current(name) {
    const agent = await readAgentBinary(this.#options.agentPath);
    const image = await this.get(name);
    if (image.manifest.agentBuild === agent.build) return image;
    const lock = await lockBuilds(this.#images);
    try {
      const meanwhile = await this.get(name);
      if (meanwhile.manifest.agentBuild === agent.build) return meanwhile;
      return await renewAgent(meanwhile, agent, { images: this.#images, runner: this.#options.runner });
    } finally {
      lock.release();
    }
  }
  async remove(name) {
    checkImageName(name);
    await rm22(path16.join(this.#images, name), { recursive: true, force: true });
  }
  async build(request, onProgress) {
    checkImageName(request.name);
    const host = await this.#options.hostConfig(request.hostPackageConfig);
    const plan = await planBuild(request, host);
    const agent = await readAgentBinary(this.#options.agentPath);
    const recipeDigest = recipeDigestOf(plan, agent.digest);
    return this.#share(
      { name: request.name, rebuild: request.rebuild, include: request.include, host, plan, agent, recipeDigest },
      onProgress
    );
  }
  /** One build per name at a time: a second caller who wants the same joins it. */
  async #share(wanted, onProgress) {
    const running = this.#running.get(wanted.name);
    if (running !== void 0) {
      if (running.recipeDigest !== wanted.recipeDigest)
        throw imageExists(wanted.name, "is being built with another recipe");
      running.listeners.add(onProgress);
      return running.image;
    }
    const listeners = /* @__PURE__ */ new Set([onProgress]);
    const report = (progress) => {
      for (const listener of listeners) listener(progress);
    };
    const image = this.#buildUnlessThere(wanted, report).finally(() => this.#running.delete(wanted.name));
    this.#running.set(wanted.name, { recipeDigest: wanted.recipeDigest, listeners, image });
    return image;
  }
  async #buildUnlessThere(wanted, report) {
    const ready = async () => wanted.rebuild ? void 0 : this.#matching(wanted);
    const early = await ready();
    if (early !== void 0) return early;
    await mkdir13(this.#images, { recursive: true });
    const lock = await lockBuilds(this.#images, () => {
      report({ step: "waiting for another build", done: 0, total: 1 });
    });
    try {
      await sweepFolders(this.#images, (directory) => salvagePackages(directory, this.#packageCache));
      const meanwhile = await ready();
      if (meanwhile !== void 0) return meanwhile;
      await this.#options.checkHost(this.#options.stateDirectory);
      return await makeImage(wanted, {
        images: this.#images,
        packageCache: this.#packageCache,
        log: path16.join(this.#options.stateDirectory, "logs", `image-${wanted.name}.log`),
        runner: this.#options.runner,
        rootBuilder: this.#options.rootBuilder,
        report
      });
    } finally {
      lock.release();
    }
  }
  /** The image when it is what is wanted; undefined when it has to be made. Throws `image-exists` when it is something else. */
  async #matching(wanted) {
    const image = await this.get(wanted.name).catch(() => void 0);
    if (image === void 0) return void 0;
    if (image.manifest.recipeDigest === wanted.recipeDigest) return image;
    if (image.manifest.requestDigest === wanted.plan.requestDigest) return void 0;
    throw imageExists(wanted.name, "exists and was asked for with another recipe");
  }
};
function imageExists(name, how) {
  return new OffshootError("image-exists", { message: `The image ${name} ${how}.`, details: { image: name } });
}

// hostd/net/egress/gate/gate.ts
import { setTimeout as sleep6 } from "node:timers/promises";

// hostd/platform/make-folder.ts
import { mkdirSync as mkdirSync2, statSync } from "node:fs";
import { dirname as dirname5 } from "node:path";
function makeFolder(path18, mode = 493) {
  if (statSync(path18, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const above = dirname5(path18);
  if (above !== path18) makeFolder(above, mode);
  try {
    mkdirSync2(path18, { mode });
  } catch (error) {
    if (statSync(path18, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

// hostd/platform/settle-all.ts
async function settleAll(work) {
  await Promise.allSettled(work);
  return await Promise.all(work);
}

// hostd/net/egress/gate/control-client.ts
import { once as once2 } from "node:events";
import { connect } from "node:net";
var replySchema = external_exports.object({
  id: external_exports.int().nullable(),
  result: external_exports.unknown().optional(),
  error: external_exports.object({ message: external_exports.string() }).optional()
});
var HelperRefusal = class extends Error {
  constructor(message) {
    super(message);
    this.name = "HelperRefusal";
  }
};
var HelperGone = class extends Error {
  constructor(message) {
    super(message);
    this.name = "HelperGone";
  }
};
var ControlClient = class _ControlClient {
  #socket;
  #waiting = /* @__PURE__ */ new Map();
  #nextId = 0;
  /** Resolves when the connection has ended, by whatever. */
  closed;
  constructor(socket, maxLineBytes2) {
    this.#socket = socket;
    readLines(socket, maxLineBytes2, (line) => {
      this.#take(line);
    });
    this.closed = new Promise((resolve2) => {
      socket.once("close", () => {
        for (const { reject } of this.#waiting.values()) reject(new HelperGone("the helper is gone"));
        this.#waiting.clear();
        resolve2();
      });
    });
  }
  /** Rejects with the system's error when nobody listens there. */
  static async connect(path18, maxLineBytes2) {
    const socket = connect(path18);
    await once2(socket, "connect");
    return new _ControlClient(socket, maxLineBytes2);
  }
  /** False from the moment at which the end is known, which is a little before `closed`. */
  get isOpen() {
    return !this.#socket.destroyed;
  }
  /** Rejects with HelperRefusal, or with HelperGone when the connection ends or no answer comes in time. */
  async call(method, params, result, timeoutMs2) {
    if (!this.isOpen) throw new HelperGone("the helper is gone");
    const id = this.#nextId += 1;
    const replied = new Promise((resolve2, reject) => this.#waiting.set(id, { resolve: resolve2, reject }));
    const timer = setTimeout(() => {
      this.#waiting.get(id)?.reject(new HelperGone(`no answer to ${method} within ${String(timeoutMs2)} ms`));
    }, timeoutMs2);
    try {
      writeLine(this.#socket, { id, method, params });
      return result.parse(await replied);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }
  close() {
    this.#socket.destroy();
  }
  #take(line) {
    const reply = replySchema.safeParse(parseLine(line));
    if (!reply.success || reply.data.id === null) return;
    const waiting = this.#waiting.get(reply.data.id);
    if (reply.data.error === void 0) waiting?.resolve(reply.data.result);
    else waiting?.reject(new HelperRefusal(reply.data.error.message));
  }
};

// hostd/net/egress/gate/helper-keeper.ts
import { setTimeout as sleep5 } from "node:timers/promises";

// hostd/platform/process-netns.ts
import { stat as stat10 } from "node:fs/promises";
async function isInNetns(pid, netnsPath) {
  const [own, asked] = await Promise.all([identityOf(`/proc/${String(pid)}/ns/net`), identityOf(netnsPath)]);
  return own !== void 0 && own === asked;
}
async function identityOf(path18) {
  const file = await stat10(path18, { bigint: true }).catch(() => void 0);
  return file && `${String(file.dev)} ${String(file.ino)}`;
}

// hostd/net/egress/gate/start-helper.ts
import { spawn as spawn4 } from "node:child_process";
import { closeSync as closeSync2, openSync as openSync2 } from "node:fs";
import { readFile as readFile14 } from "node:fs/promises";
import path17 from "node:path";
import { setTimeout as sleep4 } from "node:timers/promises";

// hostd/net/egress/gate/helper-flags.ts
var helperFlags = [
  "--max-semi-space-size=1",
  "--max-old-space-size=64",
  "--scavenger-max-new-space-capacity-mb=1",
  "--optimize-for-size"
];
var helperEnvironment = { MALLOC_ARENA_MAX: "1" };
function helperNode() {
  const quiet = "--disable-warning=ExperimentalWarning";
  const inherited = process.execArgv.filter((flag3) => flag3 !== quiet);
  return [process.execPath, quiet, ...inherited, ...helperFlags];
}

// hostd/net/egress/gate/start-helper.ts
var lookMs = 20;
var startMs = 18e4;
var endMs = 5e3;
async function connectHelper(files) {
  return ControlClient.connect(files.controlSocket, maxControlLineBytes).catch(() => void 0);
}
async function startHelper2(files, command) {
  const [program2, ...args] = command;
  if (program2 === void 0) throw new Error("no program");
  const log = openSync2(files.log, "w", 384);
  const compileCache = process.env["NODE_COMPILE_CACHE"] ?? path17.join(files.folder, "compile-cache");
  const env = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache, ...helperEnvironment };
  const child = spawn4(program2, [...args, files.folder], { detached: true, stdio: ["ignore", log, log], cwd: "/", env });
  closeSync2(log);
  child.unref();
  let ending;
  child.once("error", (error) => {
    ending = String(error);
  });
  child.once("exit", (code, signal) => {
    ending = `it ended with ${signal ?? `code ${String(code)}`}`;
  });
  const deadlineMs = performance.now() + startMs;
  while (ending === void 0 && performance.now() < deadlineMs) {
    const client = await connectHelper(files);
    if (client !== void 0) return client;
    await sleep4(lookMs);
  }
  if (ending === void 0) child.kill("SIGKILL");
  await killHelper(await identityIn(files));
  const said = await readFile14(files.log, "utf8").catch(() => "");
  throw new Error(`${ending ?? `it did not listen within ${String(startMs)} ms`}: ${said.trim().slice(-1e3)}`);
}
async function untilEnded(helper) {
  const deadlineMs = performance.now() + endMs;
  while (await isAlive(helper)) {
    if (performance.now() > deadlineMs) await signalProcess(helper, "SIGKILL");
    await sleep4(lookMs);
  }
}
async function killHelper(helper) {
  if (helper === void 0) return;
  await signalProcess(helper, "SIGKILL");
  await untilEnded(helper);
}
async function identityIn(files) {
  try {
    return processIdentitySchema.parse(JSON.parse(await readFile14(files.identity, "utf8")));
  } catch {
    return void 0;
  }
}

// hostd/net/egress/gate/helper-keeper.ts
var defaultWatch = { everyMs: 5e3, patienceMs: 1e4, waitMs: 3e4 };
var healthMs = 1e4;
var callMs = 15e3;
var longestPauseMs = 5e3;
var secondChanceMs = 2e3;
var HelperKeeper = class {
  #options;
  #watched;
  #ready = Promise.withResolvers();
  #client;
  #helper;
  #isStopped = false;
  #kept;
  constructor(options) {
    this.#options = options;
    this.#watched = options.watch ?? defaultWatch;
    this.#kept = this.#keep();
  }
  /** Waits for the helper when it is being started, and asks again when it died over the question. Rejects with HelperRefusal when it would not, with HelperGone when there was none for half a minute. */
  async call(method, params, result, waitMs = this.#watched.waitMs) {
    const deadlineMs = performance.now() + waitMs;
    for (; ; ) {
      const client = await this.#readyBefore(deadlineMs);
      try {
        return await client.call(method, params, result, callMs);
      } catch (error) {
        if (!(error instanceof HelperGone) || performance.now() > deadlineMs || this.#isStopped) throw error;
        if (!client.isOpen) this.#lose(client);
      }
    }
  }
  /** undefined when there is none now, or it dies over the question. Rejects with HelperRefusal. */
  async callIfUp(method, params, result) {
    try {
      return await this.#client?.call(method, params, result, callMs);
    } catch (error) {
      if (error instanceof HelperGone) return void 0;
      throw error;
    }
  }
  /** `waitMs`: how long one that is being started is waited for. */
  health(waitMs) {
    return this.call("health", {}, healthSchema, waitMs);
  }
  /** To be called after its network namespace was mended: one that is in an earlier one is killed, and the next one started in this. */
  async keepInPlace() {
    const helper = this.#helper;
    if (helper === void 0 || await this.#isInPlace(helper.pid) || !await isAlive(helper)) return;
    this.#tell("failed", "it was in a network namespace that is gone");
    await killHelper(helper);
  }
  /** The helper lives on where `keep`; else resolves when it is gone. */
  async stop(keep) {
    this.#isStopped = true;
    this.#ready.promise.catch(() => void 0);
    this.#ready.reject(new HelperGone(`the ${this.#options.role} was let go`));
    const helper = this.#helper;
    if (!keep) await this.#client?.call("end", {}, external_exports.null(), healthMs).catch(() => void 0);
    this.#client?.close();
    await this.#kept;
    if (!keep) {
      if (helper !== void 0) await untilEnded(helper);
      await killHelper(await identityIn(this.#options.files));
    }
  }
  async #keep() {
    let pauseMs = 100;
    while (!this.#isStopped) {
      let client;
      try {
        client = await this.#obtain();
        if (this.#stopping()) {
          client.close();
          return;
        }
        await this.#options.instruct(client);
        pauseMs = 100;
        this.#client = client;
        this.#ready.resolve(client);
        if (this.#stopping()) client.close();
        await this.#watch(client);
      } catch (error) {
        client?.close();
        if (!this.#stopping()) this.#tell("failed", String(error));
        if (error instanceof HelperRefusal && !this.#stopping()) await killHelper(this.#helper);
        await sleep5(this.#stopping() ? 0 : pauseMs);
        pauseMs = Math.min(longestPauseMs, pauseMs * 2);
      }
    }
  }
  /** Else it would be taken for a constant within the loop. */
  #stopping() {
    return this.#isStopped;
  }
  async #obtain() {
    const { files, command, netnsPath } = this.#options;
    const living = await connectHelper(files);
    if (living !== void 0 && await this.#isOfUse(living)) {
      this.#tell("adopted");
      return living;
    }
    const entering = netnsPath === void 0 ? [] : ["nsenter", `--net=${netnsPath}`, "--"];
    const client = await startHelper2(files, [...entering, ...command]);
    if (!await this.#isOfUse(client)) throw new Error("it is not what was started");
    this.#tell("started");
    return client;
  }
  async #isInPlace(pid) {
    const { netnsPath } = this.#options;
    return netnsPath === void 0 || isInNetns(pid, netnsPath);
  }
  /** One of another version or network, or one that does not answer, is ended. */
  async #isOfUse(client) {
    const health = await client.call("health", {}, healthSchema, healthMs).catch(() => void 0);
    const isKnown = health?.protocolVersion === protocolVersion && health.role === this.#options.role;
    if (isKnown && await this.#isInPlace(health.pid)) {
      this.#helper = { pid: health.pid, startTicks: health.startTicks };
      return true;
    }
    if (health !== void 0) await client.call("end", {}, external_exports.null(), healthMs).catch(() => void 0);
    client.close();
    const helper = health ?? await identityIn(this.#options.files);
    if (helper !== void 0) await (health === void 0 ? killHelper(helper) : untilEnded(helper));
    return false;
  }
  /** Resolves when the connection has ended. */
  async #watch(client) {
    const { everyMs, patienceMs } = this.#watched;
    const answers = (waitMs) => client.call("health", {}, healthSchema, waitMs).then(
      () => true,
      () => false
    );
    const timer = setInterval(() => {
      void (async () => {
        if (await answers(patienceMs) || await answers(Math.min(patienceMs, secondChanceMs))) return;
        if (this.#isStopped || this.#client !== client || !client.isOpen) return;
        this.#tell("hung");
        await killHelper(this.#helper);
        client.close();
      })();
    }, everyMs);
    await client.closed;
    clearInterval(timer);
    this.#lose(client);
    if (this.#isStopped) return;
    if (await this.#isDead()) this.#tell("died");
  }
  /** From now on calls wait for the next one. */
  #lose(client) {
    if (this.#client !== client) return;
    this.#client = void 0;
    if (!this.#isStopped) this.#ready = Promise.withResolvers();
  }
  /** Its connections end a moment before the process does. */
  async #isDead() {
    const helper = this.#helper;
    for (let looks = 0; helper !== void 0 && looks < 15; looks += 1) {
      if (!await isAlive(helper)) return true;
      await sleep5(20);
    }
    return helper === void 0;
  }
  async #readyBefore(deadlineMs) {
    const late = new AbortController();
    const timeout = sleep5(Math.max(0, deadlineMs - performance.now()), void 0, { signal: late.signal }).then(() => {
      throw new HelperGone(`there was no ${this.#options.role} for too long`);
    });
    timeout.catch(() => void 0);
    try {
      return await Promise.race([this.#ready.promise, timeout]);
    } finally {
      late.abort();
    }
  }
  #tell(kind, message) {
    const { role, onEvent } = this.#options;
    const pid = this.#helper?.pid;
    onEvent({ role, kind, ...pid === void 0 ? {} : { pid }, ...message === void 0 ? {} : { message } });
  }
};

// hostd/net/egress/gate/gate.ts
var instructMs = 3e4;
var narrowPatienceMs = 300;
var openMs = 24e4;
async function openGate(options) {
  makeFolder(gateFolder(options.stateDirectory), 448);
  const gate = new ProcessGate(options);
  try {
    await gate.opened(options.watch?.waitMs ?? openMs);
  } catch (error) {
    await gate.stop(options.sandboxes.length > 0);
    throw error;
  }
  return gate;
}
var ProcessGate = class {
  #dns;
  #wanted;
  #listeners;
  #resolver;
  #proxy;
  #turn = new InTurn();
  constructor(options) {
    const { stateDirectory, commands, sandboxes, own, dns, listeners, onEvent, watch: watch2 } = options;
    this.#dns = dns;
    this.#wanted = { sandboxes: new Map(sandboxes.map((sandbox) => [sandbox.sandboxId, sandbox])), own };
    this.#listeners = listeners;
    const keeper = (role, instruct) => {
      const files = helperFiles(gateFolder(stateDirectory), role);
      const netnsPath = role === "proxy" ? options.proxyNetnsPath : void 0;
      return new HelperKeeper({ role, files, command: commands[role], netnsPath, instruct, onEvent, watch: watch2 });
    };
    this.#resolver = keeper("resolver", async (client) => {
      await client.call("setPolicies", everything(this.#wanted), policyAckSchema, instructMs);
      await client.call("listen", this.#dns, external_exports.null(), instructMs);
    });
    this.#proxy = keeper("proxy", async (client) => {
      await client.call("setPolicies", everything(this.#wanted), policyAckSchema, instructMs);
      const bound = await client.call("listen", { listeners: this.#listeners }, proxyListenSchema, instructMs);
      this.#listeners = bound.listeners;
    });
  }
  get listeners() {
    return this.#listeners;
  }
  setPolicy(sandbox) {
    return this.#change(({ sandboxes, own }) => {
      refuseOlder(sandboxes.get(sandbox.sandboxId), sandbox);
      const wanted = { sandboxes: new Map(sandboxes).set(sandbox.sandboxId, sandbox), own };
      return { wanted, document: { sandboxes: [sandbox], others: "keep", own: [...own], phase: "final" } };
    });
  }
  remove(sandboxId) {
    return this.#turn.do(async () => {
      const sandboxes = new Map(this.#wanted.sandboxes);
      sandboxes.delete(sandboxId);
      this.#wanted = { ...this.#wanted, sandboxes };
      await helped(
        `${sandboxId} was not forgotten`,
        () => (
          // Each, also when the other can't be told: as long as one knows it, its address is no other sandbox's.
          settleAll([this.#proxy, this.#resolver].map((helper) => helper.call("dropSandbox", { sandboxId }, external_exports.null())))
        )
      );
    });
  }
  pinsOf(sandboxId) {
    return helped(
      `Pins of ${sandboxId} are not known`,
      () => this.#resolver.call("pins", { sandboxId }, pinDocumentSchema)
    );
  }
  async restorePins(sandboxId, document) {
    await helped(
      `Pins of ${sandboxId} were not restored`,
      () => this.#resolver.call("restorePins", { sandboxId, document }, external_exports.null())
    );
  }
  async rewritePins(sandboxId) {
    await helped(
      `Pins of ${sandboxId} were not written`,
      () => this.#resolver.call("rewritePins", { sandboxId }, external_exports.null())
    );
  }
  listen(listeners) {
    return this.#turn.do(
      () => helped("The proxy does not listen", async () => {
        const bound = await this.#proxy.call("listen", { listeners }, proxyListenSchema);
        this.#listeners = bound.listeners;
        return bound.listeners;
      })
    );
  }
  async setOwnAddresses(own) {
    await this.#change(({ sandboxes }) => {
      const wanted = { sandboxes, own };
      return { wanted, document: everything(wanted) };
    });
  }
  async report(since = {}) {
    const keepers = { resolver: this.#resolver, proxy: this.#proxy };
    const pages = await helped(
      "There is no report",
      () => Promise.all(
        helperRoles.map(async (helper) => {
          const page = await keepers[helper].call("report", { since: since[helper] }, reportPageSchema);
          return { helper, ...page };
        })
      )
    );
    return {
      cursor: Object.fromEntries(pages.map(({ helper, cursor }) => [helper, cursor])),
      rows: pages.flatMap(({ helper, cursor, rows }) => rows.map((row) => ({ ...row, helper, epoch: cursor.epoch }))),
      more: pages.some(({ more }) => more)
    };
  }
  health() {
    return this.opened();
  }
  /** Resolves when both do what is asked of them. */
  async opened(waitMs) {
    const [resolver, proxy] = await helped(
      "Resolver and proxy do not answer",
      () => Promise.all([this.#resolver.health(waitMs), this.#proxy.health(waitMs)])
    );
    return { resolver, proxy };
  }
  keepInPlace() {
    return this.#proxy.keepInPlace();
  }
  async stop(keep) {
    await Promise.all([this.#proxy.stop(keep), this.#resolver.stop(keep)]);
  }
  /** What a helper refuses is no longer wanted: those that start later would refuse it, too, and be of no use to any sandbox. */
  #change(next) {
    return this.#turn.do(
      () => helped("The egress policy is not in force", async () => {
        const before = this.#wanted;
        const { wanted, document } = next(before);
        this.#wanted = wanted;
        try {
          return await this.#apply(document);
        } catch (error) {
          if (error instanceof HelperRefusal) this.#wanted = before;
          throw error;
        }
      })
    );
  }
  /**
   * What the proxy lets through it decides by one view alone from the name to the address; the resolver can only give it fewer names, and
   * pins follow the resolver's view alone. So whatever the two have at a moment - the old policy, the new one, or what both allow - nothing
   * passes that neither policy allows. The order is for what passes and is told meanwhile: first the proxy keeps to what both allow and cuts
   * the rest, so that what is being taken away is refused by its right reason and before its name stops to resolve; then the resolver
   * changes; then the proxy opens what is new, which resolves by now.
   */
  async #apply(document) {
    const narrowing = this.#proxy.callIfUp("setPolicies", { ...document, phase: "narrow" }, policyAckSchema);
    narrowing.catch(() => void 0);
    await Promise.race([narrowing, sleep6(narrowPatienceMs, void 0, { ref: false })]);
    await this.#resolver.call("setPolicies", document, policyAckSchema);
    const narrowed = await narrowing;
    const { cut: cut2 } = await this.#widen(narrowed) ?? await this.#proxy.call("setPolicies", document, policyAckSchema);
    return { cut: cut2 + (narrowed?.cut ?? 0) };
  }
  /** The proxy has the document already, and a long one takes its time; none when it is another proxy by now. */
  async #widen({ narrowed } = {}) {
    if (narrowed === void 0) return void 0;
    return await this.#proxy.callIfUp("widen", { narrowed }, widenAckSchema) ?? void 0;
  }
};
function everything({ sandboxes, own }) {
  return { sandboxes: [...sandboxes.values()], others: "drop", own: [...own], phase: "final" };
}
async function helped(what, work) {
  try {
    return await work();
  } catch (cause) {
    throw new OffshootError("network-setup-failed", {
      message: `${what}: ${cause instanceof Error ? cause.message : String(cause)}`,
      hint: "The folder gate in the state directory has what resolver and proxy said last: resolver.log and proxy.log.",
      cause
    });
  }
}

// hostd/net/egress/installed-gate.ts
function installedGate(stateDirectory) {
  const { resolverProcess, proxyProcess } = installation;
  const commands = { resolver: [...helperNode(), resolverProcess], proxy: [...helperNode(), proxyProcess] };
  return (proxyNetnsPath, options) => openGate({ ...options, stateDirectory, proxyNetnsPath, commands });
}

// hostd/net/linux-network.ts
import { readdir as readdir12 } from "node:fs/promises";

// hostd/net/egress/egress-side.ts
import { setTimeout as sleep7 } from "node:timers/promises";

// hostd/net/ip-json.ts
import { isIPv4 } from "node:net";
var linksSchema = external_exports.array(
  external_exports.object({
    ifname: external_exports.string(),
    mtu: external_exports.number(),
    /** The MAC; not every kind of link has one. */
    address: external_exports.string().optional(),
    master: external_exports.string().optional()
  })
);
var addressesSchema = external_exports.array(
  external_exports.object({
    ifname: external_exports.string(),
    addr_info: external_exports.array(external_exports.object({ local: external_exports.string().optional(), prefixlen: external_exports.number(), scope: external_exports.string().optional() }))
  })
);
var routesSchema = external_exports.array(
  external_exports.object({
    dst: external_exports.string(),
    dev: external_exports.string().optional(),
    gateway: external_exports.string().optional(),
    metrics: external_exports.array(external_exports.object({ mtu: external_exports.number().optional() })).optional(),
    nexthops: external_exports.array(external_exports.object({ dev: external_exports.string().optional() })).optional()
  })
);
async function listLinks(runner) {
  return linksSchema.parse(await ipJson(runner, ["link", "show"]));
}
async function listBridges(runner) {
  return linksSchema.parse(await ipJson(runner, ["link", "show", "type", "bridge"]));
}
async function listAddresses(runner, interfaceName) {
  const found = addressesSchema.parse(await ipJson(runner, ["-4", "addr", "show", "dev", interfaceName]));
  return found.flatMap(
    (one) => one.addr_info.flatMap((info) => info.local === void 0 ? [] : [`${info.local}/${String(info.prefixlen)}`])
  );
}
async function listOwnAddresses(runner) {
  const found = addressesSchema.parse(await ipJson(runner, ["addr", "show"]));
  const all = found.flatMap(
    (one) => one.addr_info.flatMap(({ local, scope }) => local !== void 0 && isOwn(local, scope) ? [local] : [])
  );
  return [...new Set(all)].sort();
}
function isOwn(address, scope) {
  return isIPv4(address) ? !address.startsWith("127.") : scope === "global";
}
async function listRoutes(runner) {
  return routesSchema.parse(await ipJson(runner, ["-4", "route", "show", "table", "main"]));
}
async function ipJson(runner, args) {
  const { stdout } = await runChecked(runner, "ip", ["-j", ...args]);
  const parsed = stdout.trim() === "" ? [] : JSON.parse(stdout);
  return Array.isArray(parsed) ? parsed.filter((entry) => Object.keys(entry).length > 0) : parsed;
}

// hostd/net/egress/firewall/proxy-namespace.ts
import { readdir as readdir11 } from "node:fs/promises";

// hostd/net/nft-json.ts
var tableSchema = external_exports.object({ family: external_exports.string(), name: external_exports.string() });
var chainSchema = external_exports.object({
  family: external_exports.string(),
  table: external_exports.string(),
  name: external_exports.string(),
  type: external_exports.string().optional(),
  hook: external_exports.string().optional(),
  policy: external_exports.string().optional()
});
var ruleSchema = external_exports.object({
  family: external_exports.string(),
  table: external_exports.string(),
  chain: external_exports.string(),
  handle: external_exports.number(),
  comment: external_exports.string().optional(),
  // Versions differ in what they print here for statements that they don't know.
  expr: external_exports.array(external_exports.unknown())
});
var listingSchema = external_exports.object({
  nftables: external_exports.array(
    external_exports.object({ table: tableSchema.optional(), chain: chainSchema.optional(), rule: ruleSchema.optional() })
  )
});
async function listChains(runner) {
  return (await listing(runner, ["list", "chains"])).flatMap((entry) => entry.chain ?? []);
}
async function listRules(runner, chain) {
  const entries = await listing(runner, ["list", "chain", chain.family, chain.table, chain.name]);
  return entries.flatMap((entry) => entry.rule ?? []);
}
async function countRules(runner, table) {
  const tables = (await listing(runner, ["list", "tables"])).flatMap((entry) => entry.table ?? []);
  if (!tables.some(({ family, name }) => family === table.family && name === table.table)) return 0;
  return (await listing(runner, ["-t", "list", "table", table.family, table.table])).filter(
    ({ rule }) => rule !== void 0
  ).length;
}
async function listing(runner, args) {
  const { stdout } = await runChecked(runner, "nft", ["-j", ...args]);
  return listingSchema.parse(JSON.parse(stdout)).nftables;
}

// hostd/net/plan.ts
import { createHash as createHash2 } from "node:crypto";
var maxBridgePorts = 1e3;
var reservedAddresses = 7;
var netnsDirectory = "/run/netns";
var tapName = "tap0";
var uplinkName = "up0";
var gatewayMac = "02:6f:66:66:00:01";
var guestMac = "02:6f:66:66:00:02";
function planNetwork(config, mtu) {
  const { instance, subnet } = config;
  const linkBase = subnet.base + networkSize(subnet) - 4;
  return {
    instance,
    subnet: formatIpv4Network(subnet),
    bridgeName: `ob-${instance}`,
    bridgeAddress: formatIpv4(subnet.base + 1),
    bridgeMac: bridgeMacOf(instance),
    prefixLength: subnet.prefixLength,
    tableName: `offshoot_${instance}`,
    ruleComment: `offshoot:${instance}`,
    netnsPrefix: `offshoot-${instance}-`,
    vethPrefix: `ov-${instance}-`,
    dnsPort: config.dnsPort,
    policyDnsPort: config.policyDnsPort,
    maxFlowsPerSandbox: config.maxFlowsPerSandbox,
    capacity: Math.min(maxBridgePorts, networkSize(subnet) - reservedAddresses),
    link: {
      address: formatIpv4(linkBase + 2),
      prefixLength: 30,
      gateway: formatIpv4(linkBase + 1),
      guestMac,
      mtu
    }
  };
}
function bridgeMacOf(instance) {
  const digest = createHash2("sha256").update(instance).digest("hex");
  return `02:6f:66:${digest.slice(0, 2)}:${digest.slice(2, 4)}:${digest.slice(4, 6)}`;
}
function planSlot(plan, subnetBase, slot) {
  if (!Number.isInteger(slot) || slot < 0 || slot >= plan.capacity) {
    throw new OffshootError("network-setup-failed", {
      message: `The subnet ${plan.subnet} has no slot ${String(slot)}; it has ${String(plan.capacity)}.`,
      hint: "Configure a larger network.subnet, or run fewer sandboxes.",
      details: { slot, capacity: plan.capacity }
    });
  }
  const { netnsName, vethName } = slotNames(plan, slot);
  const hostSideAddress = formatIpv4(subnetBase + 2 + slot);
  const netnsPath = `${netnsDirectory}/${netnsName}`;
  return { slot, netnsName, netnsPath, tapName, hostSideAddress, vethName, uplinkMac: uplinkMacOf(slot) };
}
function uplinkMacOf(slot) {
  const hex = slot.toString(16).padStart(6, "0");
  return `02:6f:68:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}`;
}
function slotNames(plan, slot) {
  return { netnsName: `${plan.netnsPrefix}${String(slot)}`, vethName: `${plan.vethPrefix}${String(slot)}` };
}
function slotOfName(prefix, name) {
  if (!name.startsWith(prefix)) return void 0;
  const digits = name.slice(prefix.length);
  return /^(0|[1-9]\d{0,4})$/.test(digits) ? Number(digits) : void 0;
}

// hostd/net/setup-error.ts
function setupError(doing, cause) {
  if (isOffshootError(cause)) return cause;
  if (isMissingProgram(cause)) {
    return new OffshootError("tool-missing", {
      message: `${doing} failed: ${cause.path} is not installed.`,
      hint: "apt-get install iproute2 nftables util-linux",
      cause
    });
  }
  const reason2 = cause instanceof CommandError ? cause.result.stderr.trim() : String(cause);
  return new OffshootError("network-setup-failed", {
    message: `${doing} failed: ${reason2.slice(0, 2e3)}`,
    details: { doing, reason: reason2.slice(0, 2e3) },
    cause
  });
}
function isMissingProgram(error) {
  if (!(error instanceof Error)) return false;
  const { code, syscall, path: path18 } = error;
  return code === "ENOENT" && syscall?.startsWith("spawn") === true && path18 !== void 0;
}
async function step(doing, work) {
  try {
    return await work();
  } catch (error) {
    throw setupError(doing, error);
  }
}

// hostd/net/egress/firewall/proxy-plan.ts
var proxyLinkName = "up0";
function planProxy(plan) {
  const gateway = parseIpv4(plan.link.gateway);
  const bridge = parseIpv4(plan.bridgeAddress);
  if (gateway === void 0 || bridge === void 0) throw new TypeError("the plan has no addresses");
  const address = gateway - 2;
  const lastSlotAddress = bridge + plan.capacity;
  if (address <= lastSlotAddress) throw new TypeError(`the subnet ${plan.subnet} has no address left for the proxy`);
  const netnsName = `${plan.netnsPrefix}proxy`;
  return {
    netnsName,
    netnsPath: `${netnsDirectory}/${netnsName}`,
    vethName: `${plan.vethPrefix}proxy`,
    address: formatIpv4(address),
    mac: plan.bridgeMac.replace(/^02:6f:66/, "02:6f:67")
  };
}
function slotToProxyBatch(slot, proxy, uplink) {
  return [
    `route replace ${proxy.address}/32 dev ${uplink} src ${slot.hostSideAddress}`,
    `neigh replace ${proxy.address} lladdr ${proxy.mac} dev ${uplink} nud permanent`
  ];
}

// hostd/net/slot-commands.ts
function outsideBatch(plan, slot) {
  const mtu = String(plan.link.mtu);
  return lines([
    `netns add ${slot.netnsName}`,
    `link add name ${slot.vethName} mtu ${mtu} type veth peer name ${uplinkName} address ${slot.uplinkMac} mtu ${mtu} netns ${slot.netnsName}`,
    ...attachCommands(plan, slot.vethName)
  ]);
}
function attachCommands(plan, vethName) {
  return [
    `link set dev ${vethName} addrgenmode none`,
    `link set dev ${vethName} master ${plan.bridgeName}`,
    `link set dev ${vethName} type bridge_slave isolated on`,
    `link set dev ${vethName} up`
  ];
}
function insideBatch(plan, slot, uid) {
  const { link: link6 } = plan;
  return lines([
    `tuntap add dev ${tapName} mode tap user ${String(uid)}`,
    `link set dev ${tapName} address ${gatewayMac} mtu ${String(link6.mtu)}`,
    `addr add ${link6.gateway}/${String(link6.prefixLength)} dev ${tapName}`,
    `addr add ${slot.hostSideAddress} peer ${plan.bridgeAddress}/32 dev ${uplinkName}`,
    `link set dev ${tapName} up`,
    `link set dev ${uplinkName} up`,
    `neigh replace ${link6.address} lladdr ${link6.guestMac} dev ${tapName} nud permanent`,
    `neigh replace ${plan.bridgeAddress} lladdr ${plan.bridgeMac} dev ${uplinkName} nud permanent`,
    `route add default via ${plan.bridgeAddress} dev ${uplinkName}`,
    ...slotToProxyBatch(slot, planProxy(plan), uplinkName)
  ]);
}
var insideScript = `set -e
echo 1 > /proc/sys/net/ipv4/ip_forward
if [ -e /proc/sys/net/ipv6/conf/all/disable_ipv6 ]; then
  echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6
  echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6
fi
echo 0 > /proc/sys/net/ipv4/icmp_ratemask
echo 1 > /proc/sys/net/ipv4/conf/default/rp_filter
nft -f -
printf %s "$1" | ip -batch -`;
function removeBatch(slot) {
  return lines([`link del dev ${slot.vethName}`, `netns del ${slot.netnsName}`]);
}
function lines(commands) {
  return `${commands.join("\n")}
`;
}

// hostd/net/egress/firewall/proxy-rules.ts
function proxyRules(plan, proxy, listenerPorts) {
  const fromSandbox = `iifname "${proxyLinkName}" ip saddr ${plan.subnet} ip saddr != { ${plan.bridgeAddress}, ${proxy.address} }`;
  const listeners = listenerPorts.length === 0 ? "" : listenerRule(fromSandbox, proxy, listenerPorts);
  return `table inet offshoot
delete table inet offshoot
table inet offshoot {
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmp admin-prohibited
  }
  chain input {
    type filter hook input priority filter; policy drop;
    meta nfproto != ipv4 drop
    ct state established,related accept
${listeners}    goto refuse
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
  }
  chain output {
    type filter hook output priority filter; policy drop;
    meta nfproto != ipv4 drop
    ct state established,related accept
    ip daddr { 127.0.0.0/8, ${plan.subnet} } goto refuse
    oifname "${proxyLinkName}" ip saddr ${proxy.address} meta l4proto tcp accept
    goto refuse
  }
}
`;
}
function listenerRule(fromSandbox, proxy, ports) {
  return `    ${fromSandbox} ip daddr ${proxy.address} tcp dport { ${[...new Set(ports)].join(", ")} } accept
`;
}
var passageComment = "offshoot proxy";
function proxyPassage(plan, proxy) {
  const onBridge = `iifname "${plan.bridgeName}"`;
  const acrossBridge = `${onBridge} oifname "${plan.bridgeName}"`;
  const toProxy = `ip saddr ${plan.subnet} ip daddr ${proxy.address} meta l4proto tcp accept`;
  const fromProxy = `ip saddr ${proxy.address} ip daddr ${plan.subnet} ip daddr != ${plan.bridgeAddress}`;
  return [
    { chain: "guard", rule: `${onBridge} ${toProxy}` },
    { chain: "guard", rule: `${onBridge} ${fromProxy} accept` },
    { chain: "forward", rule: `${acrossBridge} ${toProxy}` },
    { chain: "forward", rule: `${acrossBridge} ${fromProxy} ct state established,related accept` }
  ];
}

// hostd/net/egress/firewall/proxy-namespace.ts
var insideScript2 = `set -e
echo 0 > /proc/sys/net/ipv4/ip_forward
echo 1 > /proc/sys/net/ipv4/tcp_tw_reuse
echo 10240 65535 > /proc/sys/net/ipv4/ip_local_port_range
if [ -e /proc/sys/net/ipv6/conf/all/disable_ipv6 ]; then
  echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6
  echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6
fi
[ "$2" = keep ] && nft list chain inet offshoot output > /dev/null 2>&1 || nft "$1"
ip -o link show dev ${proxyLinkName} | grep -qF " $3 " || ip link set dev ${proxyLinkName} address "$3"
exec ip -batch -`;
var ProxyNamespace = class {
  proxy;
  #runner;
  #plan;
  /** Throws TypeError where the plan leaves the proxy no address. */
  constructor(runner, plan) {
    this.#runner = runner;
    this.#plan = plan;
    this.proxy = planProxy(plan);
  }
  /**
   * Makes what is missing and mends what is not as it should be; programs in the namespace stay in it. Lets sandboxes in on these TCP
   * ports of the proxy and no others; with `keep` on those that they are let in on now, if any. To be called when bridge and host rules
   * stand, and after each time they were mended. Throws `network-setup-failed`, `tool-missing`.
   */
  async ensure(listenerPorts) {
    await step("Making the network of the proxy", async () => {
      try {
        await this.#make(listenerPorts);
      } catch (firstError) {
        if (isOffshootError(firstError)) throw firstError;
        await this.#remove();
        await this.#make(listenerPorts);
      }
    });
    await step("Letting the proxy through the rules of the host", () => this.#ensurePassage());
  }
  /** Resolves when namespace and link are gone; the passage goes with the host's table. Tolerates absence. Throws `network-setup-failed`, `tool-missing`. */
  async remove() {
    await step("Removing the network of the proxy", () => this.#remove());
  }
  async #make(listenerPorts) {
    const { netnsName, netnsPath, vethName, address, mac } = this.proxy;
    const { bridgeName, bridgeAddress, bridgeMac, subnet, link: link6 } = this.#plan;
    const mtu = String(link6.mtu);
    const names3 = await readdir11(netnsDirectory).catch(() => []);
    const links = await listLinks(this.#runner);
    const outside = [
      ...names3.includes(netnsName) ? [] : [`netns add ${netnsName}`],
      ...links.some((one) => one.ifname === vethName) ? [] : [
        `link add name ${vethName} mtu ${mtu} type veth peer name ${proxyLinkName} address ${mac} mtu ${mtu} netns ${netnsName}`
      ],
      `link set dev ${vethName} addrgenmode none`,
      `link set dev ${vethName} master ${bridgeName}`,
      // Sandboxes' ports are isolated: they may talk to this one, not to each other.
      `link set dev ${vethName} type bridge_slave isolated off`,
      `link set dev ${vethName} up`
    ];
    await runChecked(this.#runner, "ip", ["-batch", "-"], { input: lines(outside) });
    const inside = [
      // The rules' refusals of what programs here dial come back by it; nothing else passes on it.
      "link set dev lo up",
      `link set dev ${proxyLinkName} mtu ${mtu}`,
      `addr replace ${address}/32 dev ${proxyLinkName}`,
      `link set dev ${proxyLinkName} up`,
      `neigh replace ${bridgeAddress} lladdr ${bridgeMac} dev ${proxyLinkName} nud permanent`,
      `route replace ${subnet} dev ${proxyLinkName} src ${address}`,
      `route replace default via ${bridgeAddress} dev ${proxyLinkName} src ${address}`
    ];
    const isKept = listenerPorts === "keep";
    const rules2 = proxyRules(this.#plan, this.proxy, isKept ? [] : listenerPorts);
    const args = [`--net=${netnsPath}`, "--", "sh", "-c", insideScript2, "sh", rules2, isKept ? "keep" : "anew", mac];
    await runChecked(this.#runner, "nsenter", args, { input: lines(inside) });
  }
  async #ensurePassage() {
    const { tableName } = this.#plan;
    const passage2 = proxyPassage(this.#plan, this.proxy);
    const chains2 = (await listChains(this.#runner)).filter(({ table }) => table === tableName);
    const present = (await Promise.all(
      chains2.filter(({ name }) => passage2.some(({ chain }) => chain === name)).map((chain) => listRules(this.#runner, chain))
    )).flatMap((rules2) => rules2.filter(({ comment }) => comment === passageComment));
    if (present.length === passage2.length) return;
    const document = [
      ...present.map(({ chain, handle }) => `delete rule inet ${tableName} ${chain} handle ${String(handle)}`),
      ...passage2.map(({ chain, rule }) => `insert rule inet ${tableName} ${chain} ${rule} comment "${passageComment}"`)
    ];
    await runChecked(this.#runner, "nft", ["-f", "-"], { input: lines(document) });
  }
  async #remove() {
    const { netnsName, vethName } = this.proxy;
    const input = lines([`link del dev ${vethName}`, `netns del ${netnsName}`]);
    const { stderr } = await this.#runner.run("ip", ["-force", "-batch", "-"], { input });
    const problems = stderr.split("\n").filter((line) => line !== "" && !isAbsence(line));
    if (problems.length > 0) throw new Error(problems.join("; "));
  }
};
function isAbsence(line) {
  return /Cannot find device|No such file or directory|^Command failed -:\d+$/.test(line);
}

// hostd/net/egress/listener-plan.ts
var anyPolicy = { mode: "enforce", rules: [] };
function needsListeners(policy) {
  return proxiedPorts(policy).size > proxiedPorts(anyPolicy).size;
}
function listenersFor(policies, open10, address) {
  const wanted = /* @__PURE__ */ new Map();
  for (const policy of [anyPolicy, ...policies]) {
    for (const [forPort, layer] of proxiedPorts(policy)) {
      const known = open10.find((one) => one.forPort === forPort && one.layer === layer);
      wanted.set(`${layer} ${String(forPort)}`, known ?? { address, port: 0, forPort, layer });
    }
  }
  return [...wanted.values()];
}
function ledTo(policy, open10) {
  const layers = proxiedPorts(policy);
  const led = open10.filter(({ forPort, layer }) => layers.get(forPort) === layer);
  return new Map(led.map(({ forPort, port }) => [forPort, port]));
}

// hostd/net/egress/policy/reachable-networks.ts
function reachableNetworks(policy, host) {
  if (policy.mode === "none") return [];
  const closed = [...closedRanges, ...ownRanges(host.own)];
  return policy.rules.flatMap((rule) => {
    if (rule.kind !== "address") return [];
    const network = parseNetwork(`${rule.network}/${String(rule.prefixLength)}`);
    if (network === void 0) throw new TypeError(`no network: ${rule.text}`);
    const shut = closed.filter((range) => !isOpenedBy(network, range, closed)).map((range) => range.network);
    const holes = [...shut, ...embeddingNetworks];
    const { family, port, transport } = rule;
    return withoutHoles(network, holes).map((part) => ({ family, network: formatNetwork(part), port, transport }));
  });
}
function closedNetworks(family, host) {
  const networks = [...closedRanges, ...ownRanges(host.own)].flatMap(
    ({ network }) => network.family === family ? [network] : []
  );
  return networks.filter(
    (network, index) => !networks.some(
      (other, at) => at !== index && networkContains2(other, network) && (at < index || !networkContains2(network, other))
    )
  ).toSorted((one, other) => one.base < other.base ? -1 : 1).map(formatNetwork);
}
function withoutHoles(network, holes) {
  if (holes.some((hole) => networkContains2(hole, network))) return [];
  const inside = holes.filter((hole) => networkContains2(network, hole));
  if (inside.length === 0) return [network];
  return halves(network).flatMap((half) => withoutHoles(half, inside));
}
function halves({ family, base, prefixLength }) {
  const size = 1n << BigInt(addressBits(family) - prefixLength - 1);
  return [base, base + size].map((start) => ({ family, base: start, prefixLength: prefixLength + 1 }));
}
function formatNetwork({ family, base, prefixLength }) {
  return `${formatAddress({ family, value: base })}/${String(prefixLength)}`;
}

// hostd/net/host-openings.ts
var openedPorts = "opened_ports";
var openedHosts = "opened_hosts";
var openingSets = `  set ${openedPorts} {
    type ipv4_addr . ipv4_addr . inet_proto . inet_service
  }
  set ${openedHosts} {
    type ipv4_addr . ipv4_addr . inet_proto
  }
`;
var openingRules = [
  `ip saddr . ip daddr . meta l4proto . th dport @${openedPorts} accept`,
  `ip saddr . ip daddr . meta l4proto @${openedHosts} accept`
];
function hostOpenings(sourceAddress, policy, own) {
  const addresses = new Set(own);
  const naming = policy.rules.filter(
    (rule) => rule.kind === "address" && rule.family === 4 && rule.prefixLength === 32 && addresses.has(rule.network)
  );
  const openings = reachableNetworks({ mode: policy.mode, rules: naming }, { own }).map(
    ({ network, port, transport }) => {
      const place3 = `${sourceAddress} . ${network.replace("/32", "")} . ${transport}`;
      return port === "any" ? `${openedHosts} { ${place3} }` : `${openedPorts} { ${place3} . ${String(port)} }`;
    }
  );
  return [...new Set(openings)];
}

// hostd/net/slot-rules.ts
var dnsQueriesPerSecond = 500;
function closedRanges2(plan, own = []) {
  return closedNetworks(4, { own: [...own, plan.subnet] });
}
function slotRules(plan, slot, mode, own = []) {
  const parts = mode === "none" ? [fromGuest(plan), refuseAll] : [open9(plan, slot, own)];
  return `table inet offshoot {
${[refuse, ...parts].join("")}}
`;
}
var refuse = `  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmp admin-prohibited
  }
`;
function fromGuest(plan, alsoAccepted = "") {
  return `  chain source {
    type filter hook prerouting priority raw; policy drop;
    iifname "${tapName}" ip saddr ${plan.link.address} accept
${alsoAccepted}  }
`;
}
var refuseAll = `  chain input {
    type filter hook input priority filter; policy drop;
    iifname "${tapName}" goto refuse
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
    iifname "${tapName}" goto refuse
  }
`;
function open9(plan, slot, own) {
  const { link: link6, bridgeAddress, dnsPort } = plan;
  const asked = `iifname "${tapName}" ip daddr ${link6.gateway}`;
  const answered = `ct status dnat ip daddr ${bridgeAddress}`;
  return `${fromGuest(plan, `    iifname "${uplinkName}" ip daddr ${slot.hostSideAddress} accept
`)}  chain inward {
    type nat hook prerouting priority dstnat; policy accept;
    ${asked} udp dport 53 dnat ip to ${bridgeAddress}:${String(dnsPort)}
    ${asked} tcp dport 53 dnat ip to ${bridgeAddress}:${String(dnsPort)}
  }
  chain input {
    type filter hook input priority filter; policy drop;
    ${asked} icmp type echo-request limit rate 20/second accept
    iifname "${tapName}" goto refuse
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
    iifname "${uplinkName}" ct state established,related accept
    iifname "${uplinkName}" drop
    ct state invalid drop
    ct state new ct count over ${String(plan.maxFlowsPerSandbox)} goto refuse
    ${answered} udp dport ${String(dnsPort)} limit rate over ${String(dnsQueriesPerSecond)}/second burst ${String(dnsQueriesPerSecond)} packets drop
    ${answered} accept
    ip daddr { ${closedRanges2(plan, own).join(", ")} } goto refuse
    oifname "${uplinkName}" accept
  }
  chain outward {
    type nat hook postrouting priority srcnat; policy accept;
    oifname "${uplinkName}" snat ip to ${slot.hostSideAddress}
  }
`;
}

// hostd/net/egress/firewall/count-rules.ts
var place = "meta l4proto . ct original ip daddr . ct original proto-dst";
var countDenied = rules(...byPlace(deniedSet, place), portless(deniedOtherSet));
var countAudited = rules(...byPlace(auditedSet, `${place} . ct direction`), portless(auditedOtherSet));
var countPassed = rules(
  ...byPlace(openedSet, place).map((rule) => `ct status and confirmed == 0 ${rule}`),
  ...byPlace(passedSet, `${place} . ct direction`)
);
function byPlace(set, key) {
  return transports.map((transport) => `meta l4proto ${transport} update @${set} { ${key} }`);
}
function portless(set) {
  return `meta l4proto != { tcp, udp } update @${set} { ct original ip daddr . meta l4proto }`;
}
function rules(...lines2) {
  return lines2.map((line) => `    ${line}
`).join("");
}

// hostd/net/egress/firewall/filter-networks.ts
function openedNetworks(policy, host, transport) {
  const byPort = /* @__PURE__ */ new Map();
  for (const opened of reachableNetworks(policy, host)) {
    if (opened.family !== 4 || opened.transport !== transport) continue;
    byPort.set(opened.port, [...byPort.get(opened.port) ?? [], opened.network]);
  }
  const ofPort = [...byPort].flatMap(
    ([port, networks]) => port === "any" ? [] : withoutOverlaps(networks).map((network) => ({ port, network }))
  );
  return { anyPort: withoutOverlaps(byPort.get("any") ?? []), ofPort };
}
function shutToNames(policy, host) {
  const mayBePrivate = policy.rules.some((rule) => rule.kind === "name" && rule.allowPrivate);
  const shut = closedRanges.filter(({ kind }) => kind !== "private" || !mayBePrivate);
  return disjoint([...shut, ...ownRanges(host.own)].map(({ network }) => network).filter(({ family }) => family === 4));
}
function withoutOverlaps(networks) {
  return disjoint(
    networks.map((text) => {
      const network = parseNetwork(text);
      if (network === void 0) throw new TypeError(`no network: ${text}`);
      return network;
    })
  );
}
function disjoint(networks) {
  const kept = [];
  for (const network of networks.toSorted(byBaseThenWidest)) {
    const last = kept.at(-1);
    if (last === void 0 || !networkContains2(last, network)) kept.push(network);
  }
  return kept.map(({ family, base, prefixLength }) => {
    return `${formatAddress({ family, value: base })}/${String(prefixLength)}`;
  });
}
function byBaseThenWidest(one, other) {
  if (one.base !== other.base) return one.base < other.base ? -1 : 1;
  return one.prefixLength - other.prefixLength;
}

// hostd/net/egress/firewall/slot-policy-rules.ts
var connection = "ct original ip daddr . ct original proto-src . ct original proto-dst";
var guestIsTold = "0x1";
var dnsQueriesPerSecond2 = 500;
function slotPolicyRules(plan, slot, policy, host, helpers) {
  if (policy.mode !== "enforce" && policy.mode !== "audit") throw new TypeError(`no rules for mode ${policy.mode}`);
  const ownToo = { own: [...host.own, plan.subnet] };
  const sets = [...networkSets(policy, ownToo), ...helperSets(policy, helpers)];
  return [
    "add table inet offshoot\n",
    ...lastingSets.map(({ name, definition }) => `add set inet offshoot ${name} ${definition}
`),
    "flush table inet offshoot\n",
    // Made anew rather than flushed: nft 1.0.6 compares new intervals with those that it is about to flush.
    ...sets.map(({ name, definition, elements }) => setAnew(name, definition, elements)),
    `table inet offshoot {
${chains(plan, slot, policy, helpers)}}
`,
    // Names alone, which have no such elements, spare the time.
    hasLateElements(sets) ? settling : ""
  ].join("");
}
var settling = `add rule inet offshoot settling ct state established drop
${thenLine}flush chain inet offshoot settling
`;
function hasLateElements(sets) {
  return sets.some(({ name, elements }) => name.startsWith("ports_") && elements.length > 0);
}
function networkSets(policy, host) {
  const networks = "{ type ipv4_addr; flags interval; }";
  const opened = transports.flatMap((transport) => {
    const { anyPort, ofPort } = openedNetworks(policy, host, transport);
    return [
      { name: `networks_${transport}`, definition: networks, elements: anyPort },
      {
        name: `ports_${transport}`,
        definition: "{ type inet_service . ipv4_addr; flags interval; }",
        elements: ofPort.map(({ port, network }) => `${String(port)} . ${network}`)
      }
    ];
  });
  return [
    ...opened,
    { name: "closed", definition: networks, elements: closedNetworks(4, host) },
    { name: "shut_to_names", definition: networks, elements: shutToNames(policy, host) }
  ];
}
function helperSets(policy, { resolver, proxy }) {
  const definition = "{ type ipv4_addr . inet_service . inet_service; }";
  const dns = `${resolver.address} . 53 . ${String(resolver.port)}`;
  const led = [...proxiedPorts(policy).keys()].map((port) => {
    return `${proxy.address} . ${String(port)} . ${String(listenerOf(proxy, port))}`;
  });
  return [
    { name: "helpers_tcp", definition, elements: [dns, ...led] },
    { name: "helpers_udp", definition, elements: [dns] },
    {
      name: "proxied_tcp",
      definition: "{ type inet_service; }",
      elements: [...proxiedPorts(policy).keys()].map(String)
    }
  ];
}
function listenerOf(proxy, port) {
  const listener = proxy.listeners.get(port);
  if (listener === void 0) throw new TypeError(`the proxy has no listener for port ${String(port)}`);
  return listener;
}
function setAnew(name, definition, elements) {
  const add = `add set inet offshoot ${name} ${definition}
`;
  const fill = elements.length === 0 ? "" : `add element inet offshoot ${name} { ${elements.join(", ")} }
`;
  return `${add}delete set inet offshoot ${name}
${add}${fill}`;
}
function chains(plan, slot, policy, helpers) {
  const { link: link6 } = plan;
  const { resolver, proxy } = helpers;
  const fromGuest2 = `iifname "${tapName}"`;
  const fromOutside = `iifname "${uplinkName}"`;
  const isReply = `${fromOutside} ct state established ct direction reply`;
  const toResolver = `dnat ip to ${resolver.address}:${String(resolver.port)}`;
  const listeners = [...proxiedPorts(policy).keys()].map(
    (port) => `${String(port)} : ${String(listenerOf(proxy, port))}`
  );
  const isAudit = policy.mode === "audit";
  return `  chain refuse {
    tcp flags & rst == rst ct mark set ${guestIsTold}
    meta l4proto tcp reject with tcp reset
    reject with icmp admin-prohibited
  }
  chain settling {
  }
  chain denied {
    jump settling
${countDenied}    goto refuse
  }
  chain passed {
    tcp flags & (syn | ack) == syn jump begun
${countPassed}    accept
  }
${transports.map((transport) => judgedChain(plan, transport, isAudit)).join("")}  chain judged {
    meta l4proto vmap { tcp : jump judged_tcp, udp : jump judged_udp }
${isAudit ? "    goto audited\n" : ""}  }
  chain cut {
    jump settling
    ct mark ${guestIsTold} reject with tcp reset
    meta l4proto tcp update @${cutPaceSet} { ${connection} limit rate over 8/second burst 4 packets } drop
    meta l4proto tcp update @${cutSet} { ${connection} limit rate 1/minute burst 30 packets } accept
    reject with tcp reset
  }
  chain begun {
    ct mark set 0
    meta l4proto tcp delete @${cutSet} { ${connection} }
    meta l4proto tcp delete @${cutPaceSet} { ${connection} }
  }
  chain audited {
    ct status dnat return
    ct original ip daddr @closed return
${countAudited}    accept
  }
  chain source {
    type filter hook prerouting priority raw; policy drop;
    ${fromGuest2} ip saddr ${link6.address} accept
    ${fromOutside} ip daddr ${slot.hostSideAddress} accept
  }
  chain inward {
    type nat hook prerouting priority dstnat; policy accept;
    iifname != "${tapName}" accept
    ip daddr ${link6.gateway} udp dport 53 ${toResolver}
    ip daddr ${link6.gateway} tcp dport 53 ${toResolver}
    ip daddr ${link6.gateway} accept
    ip daddr @networks_tcp accept
    tcp dport . ip daddr @ports_tcp accept
    ip daddr @shut_to_names accept
    meta l4proto tcp dnat ip to ${proxy.address} : tcp dport map { ${listeners.join(", ")} }
  }
  chain input {
    type filter hook input priority filter; policy drop;
    ${fromGuest2} ip daddr ${link6.gateway} icmp type echo-request limit rate 20/second accept
    ${fromGuest2} goto denied
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
    ${fromOutside} ct state related icmp type { destination-unreachable, time-exceeded, parameter-problem } accept
    ${isReply} jump judged
    ${isReply} meta l4proto tcp goto cut
    ${fromOutside} drop
    ct state invalid drop
    ct state new ct count over ${String(plan.maxFlowsPerSandbox)} goto refuse
    ct status dnat meta l4proto udp limit rate over ${String(dnsQueriesPerSecond2)}/second burst ${String(dnsQueriesPerSecond2)} packets drop
    jump judged
    goto denied
  }
  chain outward {
    type nat hook postrouting priority srcnat; policy accept;
    oifname "${uplinkName}" snat ip to ${slot.hostSideAddress}
  }
`;
}
function judgedChain(plan, transport, isAudit) {
  const of = `meta l4proto ${transport}`;
  const dnsPorts = [.../* @__PURE__ */ new Set([53, plan.dnsPort, plan.policyDnsPort])].join(", ");
  const pastProxy = `    ${of} ct original proto-dst @proxied_tcp return
`;
  return `  chain judged_${transport} {
    ${of} ct status dnat ct reply ip saddr . ct original proto-dst . ct reply proto-src @helpers_${transport} accept
    ct status dnat return
    ${of} ct original ip daddr ${plan.bridgeAddress} ct original proto-dst { ${dnsPorts} } return
    ${of} ct original ip daddr @networks_${transport} goto passed
    ${of} ct original proto-dst . ct original ip daddr @ports_${transport} goto passed
${transport === "tcp" && !isAudit ? pastProxy : ""}    ${of} ct original ip daddr . ct original proto-dst @${pinnedSet(transport)} goto passed
    ${of} ct original ip daddr @${pinnedHostsSet(transport)} goto passed
  }
`;
}

// hostd/net/egress/policy/held-mode.ts
function heldMode(mode, hasRules) {
  return mode === "open" && hasRules ? "audit" : mode;
}
function isHeldByName(mode, hasRules) {
  const held = heldMode(mode, hasRules);
  return held === "enforce" || held === "audit";
}

// hostd/net/egress/slot-policy.ts
function effective({ mode, rules: rules2 }) {
  return { mode: heldMode(mode, rules2.length > 0), rules: rules2 };
}
function isRuled({ mode, rules: rules2 }) {
  return isHeldByName(mode, rules2.length > 0);
}
function takesPins(before, after) {
  if (!isRuled(before)) return false;
  if (!isRuled(after)) return after.mode === "none";
  const kept = new Set(after.rules.map(({ text }) => text));
  const proxied = proxiedPorts(after);
  return before.rules.some(
    (rule) => rule.kind === "name" && (rule.transport === "udp" || rule.port === "any" || !proxied.has(rule.port)) && !kept.has(rule.text)
  );
}
function gatePolicy({ hostSideAddress, netnsPath }, { policy, sandbox }) {
  if (sandbox === void 0) return void 0;
  const { id: sandboxId, revision } = sandbox;
  return { sandboxId, sourceAddress: hostSideAddress, netnsPath, policy: effective(policy), revision };
}

// hostd/net/egress/slot-filter.ts
var SlotFilter = class {
  /** The host's addresses of now. */
  own = [];
  #options;
  #proxyAddress;
  constructor({ runner, plan, hostTable }, proxyAddress) {
    this.#options = { runner, plan, hostTable };
    this.#proxyAddress = proxyAddress;
  }
  /** The nft document for a slot. `listeners`: the open ones of the proxy, undefined where there is none. Throws `network-setup-failed` for a policy that needs one then. */
  document(slot, policy, listeners) {
    const { plan } = this.#options;
    const ruled = effective(policy);
    if (ruled.mode === "open" || ruled.mode === "none") return slotRules(plan, slot, ruled.mode, this.own);
    if (listeners === void 0) {
      throw new OffshootError("network-setup-failed", {
        message: `Nothing here can keep a sandbox to mode ${ruled.mode}.`
      });
    }
    const helpers = {
      resolver: { address: plan.bridgeAddress, port: plan.policyDnsPort },
      proxy: { address: this.#proxyAddress, listeners: ledTo(ruled, listeners) }
    };
    return slotPolicyRules(plan, slot, ruled, { own: this.own }, helpers);
  }
  /** Throws CommandError. */
  async load(slot, policy, document) {
    const whole = isRuled(policy) ? document : rulesAnew(document);
    await loadRules(this.#options.runner, slot.netnsPath, whole);
  }
  /** Closes all that is open by name, under a policy with names; the resolver writes anew what may stay (`Gate.rewritePins`). Throws CommandError. */
  async closePins({ netnsPath }) {
    await loadRules(
      this.#options.runner,
      netnsPath,
      pinSets.map((name) => `flush set inet offshoot ${name}
`).join("")
    );
  }
  /** What a policy may reach of the host is open to its slot from now on, and nothing else. Throws CommandError. */
  openHost(slot, policy) {
    return this.#options.hostTable.open(slot.slot, this.#hostOpenings(slot, policy));
  }
  /** Of what is open to a slot, only what this policy may reach stays. Throws CommandError. */
  narrowHost(slot, policy) {
    return this.#options.hostTable.closeAllBut(slot.slot, this.#hostOpenings(slot, policy));
  }
  /** Throws CommandError. */
  closeHost(slot) {
    return this.#options.hostTable.open(slot, []);
  }
  /** The bridge is the host's address that never changes; it may not be there yet. */
  #hostOpenings({ hostSideAddress }, policy) {
    return hostOpenings(hostSideAddress, policy, [...this.own, this.#options.plan.bridgeAddress]);
  }
};

// hostd/net/egress/egress-side.ts
var forgetMs = 1e3;
var closingPatienceMs = 500;
var EgressSide = class {
  #options;
  #namespace;
  #filter;
  #slots = /* @__PURE__ */ new Map();
  /** Of the proxy's listeners. */
  #turn = new InTurn();
  /** Of each slot's rules: else an older document could be loaded last. */
  #turnOfSlot = /* @__PURE__ */ new Map();
  #gate;
  constructor(options) {
    this.#options = options;
    this.#namespace = new ProxyNamespace(options.runner, options.plan);
    this.#filter = new SlotFilter(options, this.#namespace.proxy.address);
  }
  /** To be called before the host's side is made: so the sandboxes of an earlier hostd don't lose what they may reach of the host. */
  async expect(living) {
    if (this.#options.openGate === void 0 || this.#gate !== void 0) return;
    this.#filter.own = await listOwnAddresses(this.#options.runner);
    for (const { slot, egress } of living) await this.#filter.openHost(slot, egress.policy);
  }
  /** Opens the gate with what sandboxes of an earlier hostd may, whose rules are loaded anew: they may be of another version. */
  async open(living, onEvent) {
    const { openGate: openGate2, plan, dns } = this.#options;
    if (openGate2 === void 0 || this.#gate !== void 0) return;
    await this.#namespace.ensure("keep");
    this.#filter.own = await listOwnAddresses(this.#options.runner);
    const upstreams = dns.upstreams === void 0 ? {} : { upstreams: [...dns.upstreams] };
    const ruled = living.filter(({ egress }) => isRuled(egress.policy));
    this.#gate = await openGate2(this.#namespace.proxy.netnsPath, {
      sandboxes: ruled.flatMap(({ slot, egress }) => gatePolicy(slot, egress) ?? []),
      own: this.#allOwn,
      dns: { address: plan.bridgeAddress, port: plan.policyDnsPort, resolvConf: dns.resolvConf, ...upstreams },
      listeners: this.#listenersFor(living.map(({ egress }) => egress.policy)),
      onEvent
    });
    await this.#letIn(this.#gate);
    for (const { slot, egress } of living) {
      this.#slots.set(slot.slot, { slot, egress, rules: "", told: isRuled(egress.policy) });
    }
    await this.#reload();
  }
  /** To be called after each time that the host's side was mended. */
  async ensure() {
    const gate = this.#gate;
    if (gate === void 0) return;
    await this.#turn.do(() => this.#letIn(gate));
    const own = await listOwnAddresses(this.#options.runner);
    if (own.join() === this.#filter.own.join()) return;
    this.#filter.own = own;
    await gate.setOwnAddresses(this.#allOwn);
    await this.#reload();
  }
  /**
   * The rules of a new slot, for its empty netns, which is not to be made before: helpers know sandboxes by the address and namespace of their
   * slot, and this resolves when they have forgotten the one before. The proxy listens where the rules lead.
   */
  prepare(slot, egress) {
    return this.#inTurnOf(slot.slot, async () => {
      await this.#filter.closeHost(slot.slot);
      await this.#listenFor({ slot, egress, rules: "", told: false });
      const rules2 = this.#document(slot, egress.policy);
      this.#slots.set(slot.slot, { slot, egress, rules: rules2, told: false });
      return rules2;
    });
  }
  /** Tells resolver and proxy of a new slot, and opens what it may reach of the host; nothing gets by a name, or there, before. */
  async admit(slot, egress) {
    await this.#filter.openHost(slot, egress.policy);
    const made = this.#slots.get(slot.slot);
    const policy = gatePolicy(slot, egress);
    if (made === void 0 || policy === void 0 || !isRuled(egress.policy)) return;
    this.#slots.set(slot.slot, { ...made, told: true });
    await this.#gate?.setPolicy(policy);
  }
  /** Another policy, or a first sandbox, for a slot there is. When it fails, some of both may be in force, and the next one mends it. */
  change(slot, egress) {
    return this.#inTurnOf(slot.slot, () => this.#change(slot, egress));
  }
  async #change(slot, egress) {
    const before = this.#slots.get(slot.slot);
    if (before === void 0 && this.#gate !== void 0) {
      throw new OffshootError("network-setup-failed", {
        message: `Slot ${String(slot.slot)} has no sandbox any more.`
      });
    }
    const told = before?.told === true || isRuled(egress.policy);
    await this.#listenFor({ slot, egress, rules: "", told });
    const rules2 = this.#document(slot, egress.policy);
    const policy = told ? gatePolicy(slot, egress) : void 0;
    const load = async () => {
      if (rules2 !== before?.rules) await this.#filter.load(slot, egress.policy, rules2);
    };
    const tell = async () => {
      if (policy !== void 0) await this.#gate?.setPolicy(policy);
    };
    await this.#filter.narrowHost(slot, egress.policy);
    const isLoadedFirst = isRuled(egress.policy);
    if (isLoadedFirst) await load();
    await this.#whileClosing(slot, before?.egress.policy, egress, tell());
    if (!isLoadedFirst) await load();
    await this.#filter.openHost(slot, egress.policy);
    this.#slots.set(slot.slot, { slot, egress, rules: rules2, told });
  }
  /** Waits for resolver and proxy to be told; where that takes long, as one of them hangs or died, what they would close is closed meanwhile. */
  async #whileClosing(slot, before, { policy, sandbox }, telling) {
    if (before === void 0 || !takesPins(before, policy)) return telling;
    const told = telling.then(
      () => true,
      () => true
    );
    if (await Promise.race([told, sleep7(closingPatienceMs, false, { ref: false })])) return telling;
    if (!isRuled(policy)) {
      const nothing = { mode: "enforce", rules: [] };
      await this.#filter.load(slot, nothing, this.#document(slot, nothing));
    }
    await this.#filter.closePins(slot);
    await telling;
    if (isRuled(policy) && sandbox !== void 0) await this.#gate?.rewritePins(sandbox.id);
  }
  /** A slot that goes. Helpers that take long to forget its sandbox are not waited for here, but by `prepare`. */
  async forget(slot) {
    await this.#filter.closeHost(slot);
    const late = new AbortController();
    const patience = sleep7(forgetMs, void 0, { signal: late.signal }).catch(() => void 0);
    const forgotten = this.#inTurnOf(slot, () => this.#forget(slot));
    await Promise.race([forgotten, patience]);
    late.abort();
  }
  async #forget(slot) {
    const known = this.#slots.get(slot);
    this.#slots.delete(slot);
    await this.#filter.closeHost(slot);
    const id = known?.egress.sandbox?.id;
    if (known?.told === true && id !== void 0) await this.#gate?.remove(id).catch(() => void 0);
  }
  get gate() {
    return this.#gate;
  }
  async close(keep) {
    const gate = this.#gate;
    this.#gate = void 0;
    await gate?.stop(keep);
    if (!keep) await this.#namespace.remove();
  }
  get #allOwn() {
    return [...this.#filter.own, this.#options.plan.subnet];
  }
  #document(slot, policy) {
    return this.#filter.document(slot, policy, this.#gate?.listeners);
  }
  /** What is in force, with the addresses and listeners of now. A netns that is gone has nothing to be ruled. */
  async #reload() {
    for (const slot of [...this.#slots.keys()]) await this.#inTurnOf(slot, () => this.#reloadSlot(slot));
  }
  async #reloadSlot(number) {
    const ruled = this.#slots.get(number);
    if (ruled === void 0) return;
    const { slot, egress, rules: before } = ruled;
    const rules2 = this.#document(slot, egress.policy);
    const mended = { ...ruled, rules: rules2 };
    this.#slots.set(number, mended);
    if (rules2 !== before) await this.#filter.load(slot, egress.policy, rules2).catch(() => void 0);
    if (this.#slots.get(number) === mended) await this.#filter.openHost(slot, egress.policy);
  }
  #inTurnOf(slot, work) {
    const turn = this.#turnOfSlot.get(slot) ?? new InTurn();
    this.#turnOfSlot.set(slot, turn);
    return turn.do(work);
  }
  /** Has the proxy listen on all ports that policies in force, and this one, lead to it. When it can't, the slot is as it was: no other one's ports depend on it. */
  async #listenFor(ruled) {
    const { slot, policy } = { slot: ruled.slot.slot, policy: ruled.egress.policy };
    const before = this.#slots.get(slot);
    this.#slots.set(slot, ruled);
    const gate = this.#gate;
    if (gate === void 0 || !isRuled(policy) || !needsListeners(policy)) return;
    try {
      await this.#turn.do(() => this.#listen(gate));
    } catch (error) {
      if (before === void 0) this.#slots.delete(slot);
      else this.#slots.set(slot, before);
      throw error;
    }
  }
  /** Listeners that no policy needs any more are closed along with the next one that is opened. */
  async #listen(gate) {
    const wanted = this.#listenersFor([...this.#slots.values()].map(({ egress }) => egress.policy));
    if (wanted.every(({ port }) => port !== 0)) return;
    await gate.listen(wanted);
    await this.#letIn(gate);
  }
  #listenersFor(policies) {
    return listenersFor(policies, this.#gate?.listeners ?? [], this.#namespace.proxy.address);
  }
  async #letIn(gate) {
    await this.#namespace.ensure(gate.listeners.map(({ port }) => port));
    await gate.keepInPlace();
  }
};

// hostd/net/egress/firewall/counted-traffic.ts
var elementSchema = external_exports.object({
  elem: external_exports.object({
    val: external_exports.object({ concat: external_exports.array(external_exports.union([external_exports.string(), external_exports.number()])).min(2) }),
    counter: external_exports.object({ packets: external_exports.number(), bytes: external_exports.number() })
  })
});
var listingSchema2 = external_exports.object({
  nftables: external_exports.array(
    external_exports.object({ set: external_exports.object({ name: external_exports.string(), elem: external_exports.array(elementSchema).default([]) }).optional() })
  )
});
var listScript = 'set -e; for name in "$@"; do nft -j list set inet offshoot "$name"; echo; done';
var outcomesOfSet = {
  [deniedSet]: ["denied"],
  [auditedSet]: ["audited", "audited-received"],
  [passedSet]: ["sent", "received"],
  [openedSet]: ["opened"],
  [deniedOtherSet]: ["denied"],
  [auditedOtherSet]: ["audited"]
};
var transportOfNumber = /* @__PURE__ */ new Map([
  ["6", "tcp"],
  ["17", "udp"]
]);
async function countedTraffic(runner, netnsPath) {
  const sets = Object.keys(outcomesOfSet);
  const args = [`--net=${netnsPath}`, "--", "sh", "-c", listScript, "sh", ...sets];
  const { stdout } = await runChecked(runner, "nsenter", args);
  return parseCountedTraffic(stdout);
}
function parseCountedTraffic(text) {
  const documents = text.split("\n").filter((line) => line.trim() !== "");
  return documents.flatMap(
    (line) => listingSchema2.parse(JSON.parse(line)).nftables.flatMap(({ set }) => set === void 0 ? [] : rowsOf(set))
  );
}
function rowsOf({ name, elem }) {
  const outcomes = outcomesOfSet[name];
  if (outcomes === void 0) return [];
  const [outgoing, incoming = outgoing] = outcomes;
  return elem.map(({ elem: { val, counter } }) => {
    const parts = val.concat.map(String);
    if (name === deniedOtherSet || name === auditedOtherSet) {
      const [address2 = "", protocol2 = ""] = parts;
      return { outcome: outgoing, address: address2, protocol: protocol2, ...counter };
    }
    const [given = "", address = "", port, direction] = parts;
    const protocol = transportOfNumber.get(given) ?? given;
    return { outcome: direction === "reply" ? incoming : outgoing, address, port: Number(port), protocol, ...counter };
  });
}

// hostd/net/host-bridge.ts
import { readFile as readFile15, writeFile as writeFile11 } from "node:fs/promises";
var largestDefaultMtu = 1500;
async function uplinkMtu(runner) {
  const [routes, links] = await Promise.all([listRoutes(runner), listLinks(runner)]);
  const mtus = routes.filter((route) => route.dst === "default").flatMap((route) => {
    const devices = [route.dev, ...(route.nexthops ?? []).map((hop) => hop.dev)];
    const ofDevices = links.filter((link6) => devices.includes(link6.ifname)).map((link6) => link6.mtu);
    return [...ofDevices, ...(route.metrics ?? []).flatMap((metric) => metric.mtu ?? [])];
  });
  return Math.min(largestDefaultMtu, ...mtus);
}
async function ensureBridge(runner, plan) {
  const links = await listLinks(runner);
  const present = links.find((link7) => link7.ifname === plan.bridgeName);
  const exists = present !== void 0;
  if (exists) await refuseForeignBridge(runner, plan, links);
  await refuseOverlap(runner, plan);
  const { bridgeName, bridgeAddress, bridgeMac, prefixLength, link: link6 } = plan;
  const batch = [
    // With its MAC from the start: udev gives a persistent one of its own to a bridge that was made without.
    ...exists ? [] : [`link add name ${bridgeName} address ${bridgeMac} type bridge`],
    `link set dev ${bridgeName} type bridge stp_state 0 forward_delay 0 mcast_snooping 0`,
    `link set dev ${bridgeName} addrgenmode none`,
    // Not again: the kernel takes the same MAC for a change of it, and forgets all neighbours and what waits for them.
    ...exists && present.address !== bridgeMac ? [`link set dev ${bridgeName} address ${bridgeMac}`] : [],
    `link set dev ${bridgeName} mtu ${String(link6.mtu)}`,
    `addr replace ${bridgeAddress}/${String(prefixLength)} dev ${bridgeName}`,
    `link set dev ${bridgeName} up`,
    ...links.filter((port) => lostItsBridge(plan, port)).flatMap((port) => attachCommands(plan, port.ifname))
  ];
  await runChecked(runner, "ip", ["-batch", "-"], { input: lines(batch) });
}
async function ensureForwarding(path18) {
  if ((await readFile15(path18, "utf8")).trim() !== "0") return false;
  await writeFile11(path18, "1\n");
  return true;
}
function lostItsBridge(plan, link6) {
  return slotOfName(plan.vethPrefix, link6.ifname) !== void 0 && link6.master !== plan.bridgeName;
}
async function refuseForeignBridge(runner, plan, links) {
  const bridges = await listBridges(runner);
  if (!bridges.some((bridge) => bridge.ifname === plan.bridgeName)) {
    throw new OffshootError("network-setup-failed", {
      message: `There is an interface ${plan.bridgeName} that is not a bridge.`,
      hint: "Remove it, or configure another network.instance."
    });
  }
  const expected = `${plan.bridgeAddress}/${String(plan.prefixLength)}`;
  const stale = (await listAddresses(runner, plan.bridgeName)).filter((address) => address !== expected);
  if (stale.length === 0) return;
  if (links.some((link6) => slotOfName(plan.vethPrefix, link6.ifname) !== void 0)) {
    throw new OffshootError("network-setup-failed", {
      message: `The bridge ${plan.bridgeName} has the address ${stale.join(", ")} and sandboxes use it, but ${expected} is configured.`,
      hint: "Set network.subnet back until those sandboxes are stopped, or configure another network.instance."
    });
  }
  const batch = stale.map((address) => `addr del ${address} dev ${plan.bridgeName}`);
  await runChecked(runner, "ip", ["-batch", "-"], { input: lines(batch) });
}
async function refuseOverlap(runner, plan) {
  const subnet = parseIpv4Network(plan.subnet);
  if (subnet === void 0) return;
  const rival = (await listRoutes(runner)).find((route) => route.dev !== plan.bridgeName && rivals(subnet, route));
  if (rival === void 0) return;
  throw new OffshootError("network-setup-failed", {
    message: `The subnet ${plan.subnet} overlaps the route ${rival.dst}${rival.dev === void 0 ? "" : ` of ${rival.dev}`}.`,
    hint: "Configure a network.subnet that this host does not use; every hostd on a host needs its own.",
    details: { subnet: plan.subnet, route: rival.dst }
  });
}
function rivals(subnet, route) {
  const destination = routeDestination(route.dst);
  if (destination === void 0 || !networksOverlap(subnet, destination)) return false;
  const isWider = networkContains(destination, subnet) && destination.prefixLength < subnet.prefixLength;
  return !isWider || route.gateway === void 0;
}
function routeDestination(text) {
  if (text === "default") return void 0;
  const single = parseIpv4(text);
  return single === void 0 ? parseIpv4Network(text) : { base: single, prefixLength: 32 };
}

// hostd/net/host-firewalls.ts
function passages(plan, hook) {
  const { bridgeName, bridgeAddress, ruleComment } = plan;
  const dns = (direction, protocol, port) => ({
    match: direction === "in" ? `iifname "${bridgeName}" ip daddr ${bridgeAddress} ${protocol} dport ${String(port)}` : `oifname "${bridgeName}" ip saddr ${bridgeAddress} ${protocol} sport ${String(port)}`,
    comment: `${ruleComment} dns ${direction} ${bridgeAddress}:${String(port)}/${protocol}`
  });
  const bothWays = (direction) => [plan.dnsPort, plan.policyDnsPort].flatMap((port) => [dns(direction, "udp", port), dns(direction, "tcp", port)]);
  if (hook === "input") return bothWays("in");
  if (hook === "output") return bothWays("out");
  if (hook !== "forward") return [];
  return [
    { match: `iifname "${bridgeName}"`, comment: `${ruleComment} out` },
    { match: `oifname "${bridgeName}"`, comment: `${ruleComment} back` }
  ];
}
async function openForeignChains(runner, plan, chains2) {
  const foreign = chains2.filter((chain) => isForeignFilter(plan, chain));
  const commands = [];
  const openedTables = /* @__PURE__ */ new Set();
  for (const chain of foreign) {
    const rules2 = await listRules(runner, chain);
    if (chain.policy !== "drop" && !rules2.some(isCatchAllDenial)) continue;
    if (chain.hook === "forward") openedTables.add(`${chain.family} ${chain.table}`);
    commands.push(...commandsToOpen(plan, chain, chain.hook ?? "", rules2));
  }
  for (const chain of chains2) {
    if (chain.name !== "DOCKER-USER" || !openedTables.has(`${chain.family} ${chain.table}`)) continue;
    commands.push(...commandsToOpen(plan, chain, "forward", await listRules(runner, chain)));
  }
  if (commands.length > 0) await runChecked(runner, "nft", ["-f", "-"], { input: `${commands.join("\n")}
` });
}
async function closeForeignChains(runner, plan) {
  const commands = [];
  for (const chain of await listChains(runner)) {
    const couldHold = isForeignFilter(plan, chain) || chain.name === "DOCKER-USER";
    if (couldHold) commands.push(...deletions((await listRules(runner, chain)).filter((rule) => isOurs(plan, rule))));
  }
  if (commands.length > 0) await runChecked(runner, "nft", ["-f", "-"], { input: `${commands.join("\n")}
` });
}
function isForeignFilter(plan, chain) {
  const isFilter = chain.type === "filter" && (chain.family === "ip" || chain.family === "inet");
  return isFilter && chain.table !== plan.tableName && passages(plan, chain.hook ?? "").length > 0;
}
function isCatchAllDenial(rule) {
  const statements = rule.expr.filter((statement) => !isObject(statement) || !("counter" in statement));
  const [only, ...others] = statements;
  if (!isObject(only) || others.length > 0) return false;
  if ("drop" in only || "reject" in only) return true;
  if (!("xt" in only)) return false;
  return only.xt === null || isObject(only.xt) && "name" in only.xt && only.xt.name === "REJECT";
}
function isObject(value) {
  return typeof value === "object" && value !== null;
}
function commandsToOpen(plan, chain, hook, rules2) {
  const wanted = passages(plan, hook);
  const present = rules2.slice(0, wanted.length).map((rule) => rule.comment);
  const ours = rules2.filter((rule) => isOurs(plan, rule));
  if (ours.length === wanted.length && wanted.every((passage2, index) => passage2.comment === present[index])) return [];
  const insertions = wanted.toReversed().map(({ match, comment }) => `insert rule ${place2(chain)} ${match} counter accept comment "${comment}"`);
  return [...deletions(ours), ...insertions];
}
function deletions(rules2) {
  return rules2.map((rule) => `delete rule ${rule.family} ${rule.table} ${rule.chain} handle ${String(rule.handle)}`);
}
function isOurs(plan, rule) {
  return rule.comment?.startsWith(`${plan.ruleComment} `) === true;
}
function place2(chain) {
  return `${chain.family} ${chain.table} ${chain.name}`;
}

// hostd/net/legacy-firewalls.ts
import { readFile as readFile16 } from "node:fs/promises";
var program = "iptables-legacy";
function legacyPassages(plan) {
  const { bridgeName, bridgeAddress } = plan;
  const dns = [plan.dnsPort, plan.policyDnsPort].map(String).flatMap(
    (port) => ["udp", "tcp"].flatMap((protocol) => [
      {
        chain: "INPUT",
        match: ["-d", `${bridgeAddress}/32`, "-i", bridgeName, "-p", protocol, "-m", protocol, "--dport", port]
      },
      {
        chain: "OUTPUT",
        match: ["-s", `${bridgeAddress}/32`, "-o", bridgeName, "-p", protocol, "-m", protocol, "--sport", port]
      }
    ])
  );
  return [{ chain: "FORWARD", match: ["-i", bridgeName] }, { chain: "FORWARD", match: ["-o", bridgeName] }, ...dns];
}
async function openLegacyChains(runner, plan, tablesFile = "/proc/net/ip_tables_names") {
  if (!await hasFilterTable(tablesFile)) return void 0;
  const listing2 = await listFilter(runner);
  if (listing2 === void 0) {
    return `This host has legacy iptables rules, which only ${program} shows, and it is not installed: if they drop forwarded packets, sandboxes reach nothing. Mend it with: apt-get install iptables`;
  }
  for (const rule of legacyPassages(plan).toReversed()) {
    if (!isClosed(listing2, rule.chain)) continue;
    const spec = [...rule.match, "-m", "comment", "--comment", plan.ruleComment, "-j", "ACCEPT"];
    if (listing2.some((line) => sameRule(line, ["-A", rule.chain, ...spec]))) continue;
    await runChecked(runner, program, ["-w", "5", "-I", rule.chain, "1", ...spec]);
  }
  return void 0;
}
async function closeLegacyChains(runner, plan, tablesFile = "/proc/net/ip_tables_names") {
  if (!await hasFilterTable(tablesFile)) return;
  for (const line of await listFilter(runner) ?? []) {
    const words = unquoted(line);
    if (words[0] !== "-A" || words[words.indexOf("--comment") + 1] !== plan.ruleComment) continue;
    await runChecked(runner, program, ["-w", "5", "-D", ...words.slice(1)]);
  }
}
async function hasFilterTable(tablesFile) {
  const names3 = await readFile16(tablesFile, "utf8").catch(() => "");
  return names3.split("\n").includes("filter");
}
async function listFilter(runner) {
  try {
    const { stdout } = await runChecked(runner, program, ["-w", "5", "-S"]);
    return stdout.split("\n");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return void 0;
    throw error;
  }
}
function isClosed(listing2, chain) {
  return listing2.some(
    (line) => line === `-P ${chain} DROP` || line === `-A ${chain} -j DROP` || line.startsWith(`-A ${chain} -j REJECT`)
  );
}
function sameRule(line, words) {
  return unquoted(line).join(" ") === words.join(" ");
}
function unquoted(line) {
  return line.split(" ").map((word) => word.replace(/^"(.*)"$/, "$1"));
}

// hostd/net/host-side.ts
var HostSide = class {
  #runner;
  #plan;
  #table;
  #turnedForwardingOn = false;
  #legacyFinding;
  constructor(runner, plan, table) {
    this.#runner = runner;
    this.#plan = plan;
    this.#table = table;
  }
  get findings() {
    const forwarding = "IPv4 forwarding (net.ipv4.ip_forward) was off; hostd turned it on and leaves it on.";
    return [this.#turnedForwardingOn ? forwarding : [], this.#legacyFinding ?? []].flat();
  }
  /** Makes what is missing. Throws `network-setup-failed`, `tool-missing`. */
  async ensure() {
    await step("Making the bridge", () => ensureBridge(this.#runner, this.#plan));
    await step("Turning IPv4 forwarding on", async () => {
      if (await ensureForwarding("/proc/sys/net/ipv4/ip_forward")) this.#turnedForwardingOn = true;
      await ensureForwarding(`/proc/sys/net/ipv4/conf/${this.#plan.bridgeName}/forwarding`);
    });
    await step("Loading the rules of the host", () => this.#table.ensure());
    await step("Opening other firewalls for the bridge", async () => {
      await openForeignChains(this.#runner, this.#plan, await listChains(this.#runner));
      this.#legacyFinding = await openLegacyChains(this.#runner, this.#plan);
    });
  }
  /** Removes what is there; forwarding stays on, for others may rely on it by now. Throws `network-setup-failed`, `tool-missing`. */
  async remove() {
    await step("Taking the passages out of other firewalls", async () => {
      await closeForeignChains(this.#runner, this.#plan);
      await closeLegacyChains(this.#runner, this.#plan);
    });
    await step("Removing the bridge and the rules of the host", async () => {
      const { bridgeName } = this.#plan;
      await this.#table.remove();
      const links = await listLinks(this.#runner);
      if (!links.some((link6) => link6.ifname === bridgeName)) return;
      await runChecked(this.#runner, "ip", ["link", "del", "dev", bridgeName]);
    });
  }
};

// hostd/net/host-rules.ts
var idleConnectionSeconds = 7500;
function hostRules(plan) {
  const { bridgeName, bridgeAddress, subnet, tableName } = plan;
  const dnsPorts = `{ ${String(plan.dnsPort)}, ${String(plan.policyDnsPort)} }`;
  return `table inet ${tableName}
delete table inet ${tableName}
table inet ${tableName} {
  ct timeout idle {
    protocol tcp
    l3proto ip
    policy = { established : ${String(idleConnectionSeconds)} }
  }
${openingSets}  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmp admin-prohibited
  }
  chain guard {
    type filter hook prerouting priority raw; policy accept;
${passage(plan, "guard")}    iifname != { "${bridgeName}", "lo" } ip daddr ${subnet} goto refuse
    iifname != "${bridgeName}" accept
    meta nfproto != ipv4 drop
    ip saddr != ${subnet} drop
    ip daddr ${bridgeAddress} udp dport ${dnsPorts} accept
    ip daddr ${bridgeAddress} tcp dport ${dnsPorts} accept
${openingRules.map((rule) => `    ${rule}
`).join("")}    fib daddr type local goto refuse
    ip daddr ${subnet} goto refuse
  }
  chain forward {
    type filter hook forward priority filter; policy accept;
${passage(plan, "forward")}    iifname "${bridgeName}" oifname "${bridgeName}" drop
    iifname "${bridgeName}" meta l4proto tcp ct state new ct timeout set "idle"
    iifname "${bridgeName}" tcp flags & (syn | rst) == syn tcp option maxseg size set rt mtu
    oifname "${bridgeName}" tcp flags & (syn | rst) == syn tcp option maxseg size set rt mtu
    oifname "${bridgeName}" ct state established,related accept
    oifname "${bridgeName}" drop
  }
  chain outward {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr ${subnet} oifname != "${bridgeName}" masquerade
  }
}
`;
}
function passage(plan, into) {
  return proxyPassage(plan, planProxy(plan)).filter(({ chain }) => chain === into).map(({ rule }) => `    ${rule} comment "${passageComment}"
`).join("");
}

// hostd/net/host-table.ts
var HostTable = class {
  #runner;
  #plan;
  #bySlot = /* @__PURE__ */ new Map();
  /** One document after the other: what is written is always what is wanted by then. */
  #turn = new InTurn();
  /** How many rules it has when it is whole; undefined as long as it is not loaded. */
  #ruleCount;
  /** What the table has open; undefined where a failure left that unknown. */
  #written;
  constructor(runner, plan) {
    this.#runner = runner;
    this.#plan = plan;
  }
  /** Loads the table: once by each hostd, whose rules may differ from those of an earlier one; later only where someone has deleted or flushed it, or a chain of it. Throws CommandError. */
  ensure() {
    return this.#turn.do(async () => {
      const stands = this.#ruleCount !== void 0 && this.#ruleCount === await this.#rulesThere();
      if (this.#written === void 0 || !stands) await this.#load();
    });
  }
  /** Closes to a slot what is not among these, and opens nothing. Throws CommandError; then it is closed by the next call for any slot. */
  closeAllBut(slot, openings) {
    const kept = new Set(openings).intersection(this.#bySlot.get(slot) ?? /* @__PURE__ */ new Set());
    return this.open(slot, [...kept]);
  }
  /** Opens these to a slot and closes what else was open to it. Before the table is loaded, it is only remembered. Throws CommandError. */
  open(slot, openings) {
    if (openings.length > 0) this.#bySlot.set(slot, new Set(openings));
    else this.#bySlot.delete(slot);
    return this.#turn.do(() => this.#write());
  }
  /** Removes it. Throws CommandError. */
  remove() {
    return this.#turn.do(async () => {
      const { tableName } = this.#plan;
      this.#ruleCount = void 0;
      await runChecked(this.#runner, "nft", [`table inet ${tableName}; delete table inet ${tableName}`]);
    });
  }
  get #wanted() {
    return new Set([...this.#bySlot.values()].flatMap((openings) => [...openings]));
  }
  async #write() {
    if (this.#ruleCount === void 0) return;
    const [wanted, written] = [this.#wanted, this.#written];
    if (written === void 0) return this.#load();
    const closed = [...written.difference(wanted)].map((opening) => this.#element("delete", opening));
    const opened = [...wanted.difference(written)].map((opening) => this.#element("add", opening));
    const document = [...closed, ...opened].join("");
    if (document === "") return;
    try {
      await this.#run(document, wanted);
    } catch {
      await this.#load();
    }
  }
  async #load() {
    const wanted = this.#wanted;
    const elements = [...wanted].map((opening) => this.#element("add", opening)).join("");
    await this.#run(`${hostRules(this.#plan)}${elements}`, wanted);
    this.#ruleCount = await this.#rulesThere();
  }
  #rulesThere() {
    return countRules(this.#runner, { family: "inet", table: this.#plan.tableName });
  }
  async #run(document, openings) {
    this.#written = void 0;
    await runChecked(this.#runner, "nft", ["-f", "-"], { input: document });
    this.#written = openings;
  }
  #element(verb, opening) {
    return `${verb} element inet ${this.#plan.tableName} ${opening}
`;
  }
};

// hostd/net/linux-network.ts
async function openLinuxNetwork(config, runner, openGate2) {
  try {
    return new LinuxNetwork(config, runner, planNetwork(config, config.mtu ?? await uplinkMtu(runner)), openGate2);
  } catch (error) {
    throw setupError("Reading the MTU of the uplink", error);
  }
}
var LinuxNetwork = class {
  link;
  capacity;
  #config;
  #runner;
  #plan;
  #host;
  #egress;
  #dns;
  #checks;
  #failedCheck;
  /** Starting, checking and stopping take turns. */
  #turn = Promise.resolve();
  constructor(config, runner, plan, openGate2) {
    this.#config = config;
    this.#runner = runner;
    this.#plan = plan;
    const hostTable = new HostTable(runner, plan);
    this.#host = new HostSide(runner, plan, hostTable);
    const dns = { resolvConf: config.resolvConf, upstreams: config.dnsUpstreams };
    this.#egress = new EgressSide({ runner, plan, hostTable, openGate: openGate2, dns });
    this.link = plan.link;
    this.capacity = plan.capacity;
  }
  get findings() {
    return [...this.#host.findings, ...this.#failedCheck === void 0 ? [] : [this.#failedCheck]];
  }
  async start(options) {
    await this.#inTurn(async () => {
      const living = options.living.map(({ slot, egress }) => ({ slot: this.#slot(slot), egress }));
      await step("Looking what sandboxes may reach of the host", () => this.#egress.expect(living));
      await this.#setUp();
      await step("Starting resolver and proxy", () => this.#egress.open(living, options.onHelperEvent));
    });
    this.#checks ??= setInterval(() => void this.#check(), this.#config.checkSeconds * 1e3).unref();
  }
  describe(slot) {
    return publicPart(this.#slot(slot));
  }
  async create(slot, uid, egress) {
    const planned2 = this.#slot(slot);
    await step(`Making the network of slot ${String(slot)}`, async () => {
      try {
        await this.#make(planned2, uid, egress);
      } catch (firstError) {
        if (isOffshootError(firstError)) throw firstError;
        await this.#remove(slot);
        await this.#make(planned2, uid, egress);
      }
    });
    return publicPart(planned2);
  }
  async setEgress(slot, egress) {
    await step(`Changing what slot ${String(slot)} may reach`, () => this.#egress.change(this.#slot(slot), egress));
  }
  pinsOf(sandboxId) {
    return this.#gate().pinsOf(sandboxId);
  }
  restorePins(sandboxId, document) {
    return this.#gate().restorePins(sandboxId, document);
  }
  countedByGate(since) {
    return this.#gate().report(since);
  }
  async countedByFilter(slot) {
    const { netnsPath } = this.#slot(slot);
    return step(
      `Reading what the filter of slot ${String(slot)} counted`,
      () => countedTraffic(this.#runner, netnsPath)
    );
  }
  async remove(slot) {
    await step(`Removing the network of slot ${String(slot)}`, async () => {
      await Promise.all([this.#remove(slot), this.#egress.forget(slot)]);
    });
  }
  async existing() {
    return step("Listing network namespaces", async () => {
      const [names3, links] = await Promise.all([netnsNames(), listLinks(this.#runner)]);
      const slots = [
        ...names3.map((name) => slotOfName(this.#plan.netnsPrefix, name)),
        ...links.map((link6) => slotOfName(this.#plan.vethPrefix, link6.ifname))
      ];
      return [...new Set(slots.flatMap((slot) => slot ?? []))].sort((a, b) => a - b);
    });
  }
  stop(keep) {
    clearInterval(this.#checks);
    this.#checks = void 0;
    return this.#inTurn(async () => {
      await this.#dns?.close();
      this.#dns = void 0;
      if (keep) return this.#egress.close(true);
      await Promise.all((await this.existing()).map((slot) => this.remove(slot)));
      await this.#egress.close(false);
      await this.#host.remove();
    });
  }
  async #setUp() {
    const { resolvConf, dnsUpstreams } = this.#config;
    await this.#host.ensure();
    await step("Answering DNS on the bridge", async () => {
      this.#dns ??= await openDnsForwarder({
        address: this.#plan.bridgeAddress,
        port: this.#plan.dnsPort,
        resolvConf,
        ...dnsUpstreams === void 0 ? {} : { upstreams: dnsUpstreams }
      });
    });
    await step("Letting sandboxes reach resolver and proxy", () => this.#egress.ensure());
  }
  async #check() {
    try {
      await this.#inTurn(async () => {
        if (this.#checks !== void 0) await this.#setUp();
      });
      this.#failedCheck = void 0;
    } catch (error) {
      this.#failedCheck = `The last check of the network failed: ${String(error)}`;
    }
  }
  #inTurn(work) {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => void 0);
    return result;
  }
  #gate() {
    const { gate } = this.#egress;
    if (gate !== void 0) return gate;
    throw new OffshootError("network-setup-failed", { message: "Resolver and proxy were not started." });
  }
  #slot(slot) {
    return planSlot(this.#plan, this.#config.subnet.base, slot);
  }
  async #make(slot, uid, egress) {
    const rules2 = await this.#egress.prepare(slot, egress);
    await runChecked(this.#runner, "ip", ["-batch", "-"], { input: outsideBatch(this.#plan, slot) });
    const batch = insideBatch(this.#plan, slot, uid);
    const inside = [`--net=${slot.netnsPath}`, "--", "sh", "-c", insideScript, "sh", batch];
    await settleAll([
      runChecked(this.#runner, "nsenter", inside, { input: rules2 }),
      this.#egress.admit(slot, egress)
    ]);
  }
  async #remove(slot) {
    const input = removeBatch(slotNames(this.#plan, slot));
    const result = await this.#runner.run("ip", ["-force", "-batch", "-"], { input });
    const problems = result.stderr.split("\n").filter((line) => line !== "" && !isAbsence2(line));
    if (problems.length > 0) throw new Error(problems.join("; "));
  }
};
function isAbsence2(line) {
  return /Cannot find device|No such file or directory|^Command failed -:\d+$/.test(line);
}
function publicPart(slot) {
  const { vethName: _vethName, ...rest } = slot;
  return rest;
}
async function netnsNames() {
  return readdir12(netnsDirectory).catch(() => []);
}

// hostd/sandbox/host-resources.ts
import { readFile as readFile17, statfs as statfs2 } from "node:fs/promises";
import { availableParallelism } from "node:os";
var mib = 1024 * 1024;
function linuxResources(stateDirectory) {
  return {
    cpus: availableParallelism(),
    read: async () => {
      const [meminfo, pressure, disk] = await Promise.all([
        readFile17("/proc/meminfo", "utf8"),
        readFile17("/proc/pressure/memory", "utf8").catch(() => ""),
        statfs2(stateDirectory)
      ]);
      return {
        memoryTotalMiB: memoryField(meminfo, "MemTotal"),
        memoryAvailableMiB: memoryField(meminfo, "MemAvailable"),
        memoryPressurePercent: parsePressure(pressure),
        diskTotalMiB: Math.floor(disk.blocks * disk.bsize / mib),
        diskFreeMiB: Math.floor(disk.bavail * disk.bsize / mib)
      };
    },
    roomMiB: async (folder) => {
      const found = await statfs2(folder).catch(() => void 0);
      return found === void 0 ? 0 : Math.floor(found.bavail * found.bsize / mib);
    }
  };
}
function memoryField(meminfo, name) {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(meminfo);
  return Math.floor(Number(match?.[1] ?? 0) / 1024);
}
function parsePressure(text) {
  const match = /^some avg10=([\d.]+)/m.exec(text);
  return Number(match?.[1] ?? 0);
}

// hostd/daemon/host-tools.ts
import { constants as constants7 } from "node:fs";
import { access as access5 } from "node:fs/promises";
import { join as join18 } from "node:path";
var runtimeTools = {
  "qemu-system-x86_64": "qemu-system-x86",
  "qemu-img": "qemu-utils",
  nft: "nftables",
  ip: "iproute2",
  nsenter: "util-linux"
};
var systemFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin"];
function systemSearchPath(path18) {
  const folders = (path18 ?? "/usr/local/bin:/usr/bin:/bin").split(":");
  return [...folders, ...systemFolders.filter((folder) => !folders.includes(folder))].join(":");
}
async function missingTools(tools2, searchPath) {
  const found = await Promise.all(tools2.map((tool) => isOnPath2(tool, searchPath)));
  return tools2.filter((_tool, index) => found[index] !== true);
}
async function requireTools(searchPath) {
  const missing = await missingTools(Object.keys(runtimeTools), searchPath);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((tool) => runtimeTools[tool] ?? tool))];
  throw new OffshootError("tool-missing", {
    message: `hostd needs ${missing.join(", ")}, which ${missing.length === 1 ? "is" : "are"} not installed.`,
    hint: `Install what is missing: sudo apt-get install --no-install-recommends ${packages.join(" ")}`,
    details: { tools: missing, packages }
  });
}
async function isOnPath2(tool, searchPath) {
  for (const folder of searchPath.split(":")) {
    const found = await access5(join18(folder, tool), constants7.X_OK).then(
      () => true,
      () => false
    );
    if (found) return true;
  }
  return false;
}

// hostd/daemon/system-parts.ts
function qemuOptions(config) {
  const { nativeDirectory } = installation;
  return { runner: systemRunner, nativeDirectory, kvm: config.kvm, kvmDeadlineMs: config.kvmProbeDeadlineMs };
}
var systemParts = {
  checkHost: async () => {
    if (process.getuid?.() !== 0)
      throw new OffshootError("not-root", { hint: "Start it with sudo: sudo offshoot hostd" });
    process.env.PATH = systemSearchPath(process.env.PATH);
    await requireTools(process.env.PATH);
  },
  openVmm: (config) => openQemuVmm(qemuOptions(config)),
  openNetwork: (config) => openLinuxNetwork(config.network, systemRunner, installedGate(config.stateDirectory)),
  openImages: (config) => createImageStore({ stateDirectory: config.stateDirectory }),
  guests: new ChannelConnector(),
  resources: (config) => linuxResources(config.stateDirectory)
};

// hostd/net/egress/policy/format-rule.ts
function formatRule(rule) {
  const port = rule.port === "any" ? "*" : String(rule.port);
  const udp = rule.transport === "udp" ? "udp:" : "";
  if (rule.kind === "address") return `${udp}${formatNetwork2(rule)}:${port}`;
  const name = `${rule.wildcard ? "*." : ""}${rule.name}`;
  return `${udp}${layerPrefix(rule)}${name}:${port}${rule.allowPrivate ? " private" : ""}`;
}
function layerPrefix({ layer, port }) {
  return layer === "raw" || port === 443 || port === 80 ? "" : `${layer}:`;
}
function formatNetwork2({ family, network, prefixLength }) {
  const address = family === 4 ? network : `[${network}]`;
  const parsed = parseAddress(network);
  const single = prefixLength === addressBits(family) && parsed !== void 0 && !isMetadataAddress(parsed);
  return single ? address : `${address}/${String(prefixLength)}`;
}

// hostd/net/egress/policy/parse-rule.ts
import { isIPv6 as isIPv62 } from "node:net";

// hostd/net/egress/policy/refused.ts
function refused(why) {
  return { refused: why };
}
function isRefused(value) {
  return "refused" in value;
}

// hostd/net/egress/policy/rule-name.ts
var import_tldts = __toESM(require_cjs(), 1);
import { domainToASCII, domainToUnicode } from "node:url";
function parseRuleName(text, allowPrivate) {
  const star = splitWildcard(text);
  if ("refused" in star) return star;
  const name = normalise(star.host);
  if (typeof name !== "string") return name;
  if (name === "localhost" || name.endsWith(".localhost")) {
    return refused("means the guest itself, which needs no rule: leave it out");
  }
  if (star.wildcard) {
    const tooWide = refuseSuffix(name, allowPrivate);
    if (tooWide !== void 0) return tooWide;
  }
  return { name, wildcard: star.wildcard };
}
function splitWildcard(text) {
  if (!text.includes("*")) return { host: text, wildcard: false };
  if (/^[*.]+$/.test(text)) {
    return refused("would allow every host: name the hosts, or use mode `audit` or `open` to allow all");
  }
  const host = text.startsWith("*.") ? text.slice(2) : "";
  if (host !== "" && !host.includes("*")) return { host, wildcard: true };
  const domain = /([^*.]+(?:\.[^*.]+)+)\.?$/.exec(text)?.[1] ?? "example.org";
  return refused(`has a \`*\` that is not the whole first label: write \`*.${domain}\`, it takes any depth`);
}
function normalise(text) {
  const bare = text.endsWith(".") ? text.slice(0, -1) : text;
  if (bare === "") return refused("names no host: write `host` or `host:port`");
  if (bare.includes("%")) return refused("has a `%`: write the name in plain letters, and an address without a zone");
  const name = /^[\x00-\x7f]*$/.test(bare) ? bare.toLowerCase() : domainToASCII(bare);
  if (name === "")
    return refused("is no host name that every program reads in the same way: write it as it stands in DNS");
  const badLabel = refuseLabels(name);
  if (badLabel !== void 0) return badLabel;
  return refuseUnstable(bare, name) ?? name;
}
function refuseLabels(name) {
  if (name.length > 253) return refused("is longer than a host name can be: 253 characters");
  const labels = name.split(".");
  if (labels.includes("")) return refused("has an empty label, `..` or a dot in front: write one dot between labels");
  const long = labels.find((label) => label.length > 63);
  if (long !== void 0) return refused("has a label of more than 63 characters, which no name in DNS has");
  if (askedName(name) !== void 0) return void 0;
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "")) {
    return refused("ends in a number, as no name does: write an IPv4 address as four decimal numbers");
  }
  return refused("is no host name: labels have letters, digits, `-` and `_`, and no `-` at either end");
}
function refuseUnstable(given, name) {
  if (!name.split(".").some((label) => label.startsWith("xn--")) && given.toLowerCase() === name) return void 0;
  const shown2 = domainToUnicode(name);
  if (domainToASCII(shown2) !== name || shown2.split(".").some((label) => label.startsWith("xn--"))) {
    return refused("does not survive IDN: its `xn--` part stands for no name, so write the name in its own letters");
  }
  const asGiven = given.normalize("NFC").toLowerCase().normalize("NFC");
  if (asGiven === shown2 || asGiven === name) return void 0;
  return refused(`does not survive IDN: it has characters that are replaced or dropped, so write \`${name}\``);
}
function refuseSuffix(name, allowPrivate) {
  const { publicSuffix, isIcann } = (0, import_tldts.parse)(`x.${name}`, { validateHostname: false, allowPrivateDomains: false });
  if (publicSuffix !== name) return void 0;
  if (isIcann === true) {
    return refused(`would allow every host under ${name}: name a domain, as in \`*.example.${name}\``);
  }
  if (allowPrivate) return void 0;
  return refused(
    `would allow a whole top-level domain: where it is your network's own, put the word \`private\` after the rule`
  );
}

// hostd/net/egress/policy/rule-network.ts
import { domainToASCII as domainToASCII2 } from "node:url";
import { isIPv4 as isIPv42, isIPv6 } from "node:net";
function parseRuleNetwork(rule) {
  const { host: text, bracketed } = rule;
  const [address = ""] = text.split("/");
  if (bracketed && address.includes("%")) {
    return refused("has a zone, which means nothing outside its own machine: write an address without `%`");
  }
  if (bracketed && !isIPv6(address)) {
    return refused("has no IPv6 address in its brackets: write `[2001:db8::1]:443`, or leave them out");
  }
  if (!bracketed && !isIPv42(address)) return refuseOddIpv4(address);
  const network = parseNetwork(text);
  if (network === void 0) {
    return refused(`has no prefix length after \`/\`: write 0 to ${bracketed ? "128" : "32"} without leading zeros`);
  }
  return refuseNetwork(network) ?? (text.includes("/") ? void 0 : refuseMetadata(network, rule)) ?? network;
}
var plainName = /^(?:[a-z0-9_-]+\.)*(?!xn--)[a-z][a-z0-9_-]*\.?$/i;
function refuseOddIpv4(text) {
  if (plainName.test(text)) return void 0;
  const read = text.includes("*") || text.includes("%") ? "" : domainToASCII2(text);
  if (!isIPv42(read)) return void 0;
  return refused(`is another way to write the address ${read}: write that, four decimal numbers`);
}
function refuseNetwork(network) {
  const { family, base, prefixLength } = network;
  if (embeddedIpv4Network(network)) {
    const ipv4 = embeddedIpv4({ family, value: base });
    const instead = prefixLength === 128 && ipv4 !== void 0 ? `\`${formatAddress(ipv4)}\`` : "those";
    return refused(`stands for IPv4 addresses, which are what is looked at: write ${instead}`);
  }
  for (const { kind, network: closed } of closedRanges) {
    if (!networkContains2(closed, network)) continue;
    const why = unreachable[kind];
    if (why !== void 0) return refused(why);
  }
  if (networkContains2(thisNetwork, network)) return refused("is no address that a host has: write the one you mean");
  if (networkContains2(linkLocalIpv6, network)) return refused("does not leave its own link: write a routed address");
  return void 0;
}
function refuseMetadata({ family, base, prefixLength }, written) {
  if (prefixLength !== addressBits(family) || !isMetadataAddress({ family, value: base })) return void 0;
  const address = formatAddress({ family, value: base });
  const full = family === 4 ? `${address}/32` : `[${address}]/128`;
  const { prefix, ports } = written;
  const rule = `${prefix === "udp" ? "udp:" : ""}${full}${ports === void 0 ? "" : `:${ports}`}`;
  return refused(`is a metadata service, which hands out credentials: to open it all the same, write \`${rule}\``);
}
var unreachable = {
  loopback: "means the guest itself, which needs no rule: leave it out",
  multicast: "is multicast, which does not leave the guest: write addresses of single hosts"
};
var thisNetwork = { family: 4, base: 0n, prefixLength: 8 };
var linkLocalIpv6 = { family: 6, base: 0xfe80n << 112n, prefixLength: 10 };

// hostd/net/egress/policy/rule-ports.ts
function parsePorts(text) {
  if (text === "*") return ["any"];
  const ports = [];
  for (const part of text.split(",")) {
    if (part === "") return refused("has a port missing after `:` or `,`: write it, or leave out the `:` for 443");
    if (part === "*") return refused("names every port with `*` and others too: write only `:*`, or only the ports");
    if (/^\d+-\d+$/.test(part)) return refused(`has a range of ports, ${part}: write each port, or \`*\` for all`);
    if (!/^\d+$/.test(part)) return refused(`has no port number after \`:\`, but ${quoted(part)}: write 1 to 65535`);
    if (!/^[1-9]\d{0,4}$/.test(part) || Number(part) > 65535) {
      return refused(`has a port that does not exist, ${part.slice(0, 20)}: write 1 to 65535 without leading zeros`);
    }
    if (part === "53") {
      return refused("opens port 53, where Offshoot's resolver answers for every server: leave it out, names resolve");
    }
    ports.push(Number(part));
  }
  return [...new Set(ports)];
}
function quoted(text) {
  return `\`${text.slice(0, 40)}\``;
}

// hostd/net/egress/policy/rule-shape.ts
var schemePorts = {
  https: 443,
  wss: 443,
  http: 80,
  ws: 80,
  ssh: 22,
  git: 9418,
  ftp: 21
};
function refuseShape(word) {
  if (word.length > 300) return refused("is longer than a rule can be: 300 characters");
  if (/^auto:/i.test(word)) {
    return refused(
      "is filled in where its package manager is configured: by the command line, the SDK or the action, not by hostd"
    );
  }
  if (/^[|>][-+]?$/.test(word)) return refused("is the mark of a text in YAML: write only the rules");
  if (word === "\\")
    return refused("is the end of a line that goes on: leave it out, rules may stand on several lines");
  if (word === "-") return refused("is the mark of a list: write only the rules, one a line");
  if (/["'`«»\u2018-\u201f]/.test(word)) return refused("has quotes: write the rule without them");
  if (/[,;]$/.test(word)) return refused("ends with a separator: put blanks or line ends between rules");
  if (/;|,[^,]*[.:[]/.test(word))
    return refused("has a separator in its middle: put blanks or line ends between rules");
  if (/^!/.test(word)) return refused("would take something away: rules only allow, so leave it out");
  const url = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(word);
  if (url !== null) return refuseUrl((url[1] ?? "").toLowerCase(), url[2] ?? "");
  if (word.includes("@")) {
    return refused(
      `has a user name: a rule is only host and port, write \`${hostOf(word).replace(/:.*$/, "")}:22\` for ssh`
    );
  }
  if (/[?#\\]/.test(word)) return refused("has a part that no host has: write only host and port");
  return void 0;
}
function refuseUrl(scheme, rest) {
  const host = hostOf(rest);
  const path18 = /[/?#](.*)$/.exec(rest)?.[1] ?? "";
  const why = path18 === "" ? "is a URL" : "is a URL with a path, and a rule opens a whole host";
  return refused(host === "" ? `${why}: write a host and a port` : `${why}: write \`${ruleForUrl(scheme, host)}\``);
}
function ruleForUrl(scheme, host) {
  const [, name = host, port] = /^(.*?)(?::(\d*))?$/.exec(host) ?? [];
  const plain = schemePorts[scheme];
  if (port === void 0 || port === "") return plain === void 0 ? `${name}:PORT` : `${name}:${String(plain)}`;
  if (Number(port) === plain) return `${name}:${port}`;
  if (plain === 443) return `tls:${name}:${port}`;
  return plain === 80 ? `http:${name}:${port}` : `${name}:${port}`;
}
function hostOf(text) {
  return (/^[^/?#]*/.exec(text)?.[0] ?? "").replace(/^.*@/, "");
}

// hostd/net/egress/policy/parse-rule.ts
function parseRule(word, allowPrivate) {
  const parts = refuseShape(word) ?? splitRule(word);
  if (isRefused(parts)) return parts;
  const ports = portsOf(parts);
  if (isRefused(ports)) return ports;
  const network = parseRuleNetwork(parts);
  if (network !== void 0) {
    return isRefused(network) ? network : addressRules(network, ports, parts.prefix, allowPrivate);
  }
  if (parts.host.includes("/")) {
    return refused(`has a path, and a rule opens a whole host: write \`${parts.host.replace(/\/.*$/, "")}\``);
  }
  const name = parseRuleName(parts.host, allowPrivate);
  if (isRefused(name)) return name;
  return ports.map((port) => {
    const rule = {
      kind: "name",
      ...name,
      port,
      transport: transportOf(parts.prefix),
      layer: layerOf(parts.prefix, port),
      allowPrivate
    };
    return { ...rule, text: formatRule(rule) };
  });
}
function splitRule(word) {
  const [, prefixText, rest = word] = /^(udp|tls|http):(.*)$/i.exec(word) ?? [];
  const prefix = prefixText === void 0 ? void 0 : prefixFrom(prefixText);
  const brackets = /^\[([^\]]*)\](\/[^:]*)?(?::(.*))?$/.exec(rest);
  if (brackets !== null) {
    const [, inside = "", length = "", ports2] = brackets;
    return { prefix, host: `${inside}${length}`, bracketed: true, ports: ports2 };
  }
  if (rest.includes("[") || rest.includes("]")) {
    return refused("has brackets that do not enclose one IPv6 address: write `[2001:db8::1]:443`");
  }
  const colons = rest.split(":").length - 1;
  if (colons > 1) return refuseColons(rest);
  const [host = "", ports] = rest.split(":");
  if (prefix !== void 0 && host !== "" && ports === void 0 && /^\d+(,\d+)*$/.test(host)) {
    return refused(`names no host: write \`${prefix}:HOST:${host}\``);
  }
  if (/^(udp|tls|http|auto)\.?$/i.test(host)) {
    return refused("is a prefix where a host is meant: write a host of this name with its domain");
  }
  return { prefix, host, bracketed: false, ports };
}
function refuseColons(rest) {
  const [address = "", length] = rest.split("/");
  if (isIPv62(address)) {
    const instead = `[${address}]${length === void 0 ? "" : `/${length}`}:443`;
    const read = parseRule(instead, false);
    return isRefused(read) ? read : refused(`is an IPv6 address without brackets: write \`${instead}\``);
  }
  const [first = "", second = "", ...others] = rest.split(":");
  if (/^tcp$/i.test(first))
    return refused(`has the prefix \`tcp:\`, which goes without saying: write \`${[second, ...others].join(":")}\``);
  if (/^https$/i.test(first))
    return refused(`has the prefix \`https:\`: write \`tls:${[second, ...others].join(":")}\``);
  return refused("has too many `:`: write `host:port`, with `udp:`, `tls:` or `http:` in front, and IPv6 in brackets");
}
function prefixFrom(text) {
  const lower = text.toLowerCase();
  return lower === "udp" || lower === "tls" ? lower : "http";
}
function portsOf({ prefix, ports: text }) {
  if (text === void 0 && prefix === "udp") return refused("has no port: write it, as in `udp:ntp.example.org:123`");
  if (text === void 0) return [prefix === "http" ? 80 : 443];
  const ports = parsePorts(text);
  if (isRefused(ports) || prefix === void 0 || prefix === "udp") return ports;
  if (ports.includes("any")) return refused(`can not read every port as ${prefix}: write the ports`);
  if (prefix === "http" && ports.includes(443))
    return refused("has port 443, which is always read as TLS: leave out `http:`");
  if (prefix === "tls" && ports.includes(80))
    return refused("has port 80, which is always read as HTTP: leave out `tls:`");
  return ports;
}
function addressRules(network, ports, prefix, allowPrivate) {
  if (prefix === "tls" || prefix === "http") {
    return refused(`names an address, where there is no name to check: leave out \`${prefix}:\``);
  }
  if (allowPrivate)
    return refused("is an address, which `private` does not go with: a rule in a private network opens it as it is");
  const { family, base, prefixLength } = network;
  const transport = transportOf(prefix);
  return ports.map((port) => {
    const rule = {
      kind: "address",
      family,
      network: formatAddress({ family, value: base }),
      prefixLength,
      port,
      transport
    };
    return { ...rule, text: formatRule(rule) };
  });
}
function transportOf(prefix) {
  return prefix === "udp" ? "udp" : "tcp";
}
function layerOf(prefix, port) {
  if (prefix === "udp") return "raw";
  if (prefix !== void 0) return prefix;
  if (port === 443) return "tls";
  return port === 80 ? "http" : "raw";
}

// hostd/net/egress/policy/parse-rules.ts
var maxRules = 2e3;
var maxReadPorts = 100;
var maxWords = 10 * maxRules;
var maxIssues = 50;
function parseRules(text) {
  const words = egressWords(text);
  const issues = [];
  const rules2 = /* @__PURE__ */ new Map();
  const layers = /* @__PURE__ */ new Map();
  for (const [index, word] of words.entries()) {
    if (rules2.size > maxRules || words.length > maxWords) break;
    if (word === "private") {
      const before = words[index - 1];
      if (before === void 0 || before === "private")
        issues.push({ path: word, message: "follows no rule: write `host:port private`" });
      continue;
    }
    const parsed = parseRule(word, words[index + 1] === "private");
    if (isRefused(parsed)) issues.push({ path: shown(word), message: printable(parsed.refused) });
    else for (const rule of parsed) add(rule);
  }
  if (rules2.size > maxRules || words.length > maxWords) {
    issues.push({ path: "", message: `has too many rules: a policy has at most ${String(maxRules)}` });
  }
  const readPorts = [...layers.keys()].filter((port) => port !== 443 && port !== 80);
  if (readPorts.length > maxReadPorts) {
    issues.push({
      path: "",
      message: `has too many ports with \`tls:\` or \`http:\`: a policy has at most ${String(maxReadPorts)}`
    });
  }
  if (issues.length > 0) throw rulesInvalid(issues);
  return { rules: [...rules2.values()] };
  function add(rule) {
    const conflict = layerConflict(rule, layers);
    if (conflict !== void 0) issues.push({ path: rule.text, message: conflict });
    const key = rule.kind === "name" ? formatRule({ ...rule, allowPrivate: false }) : rule.text;
    const before = rules2.get(key);
    const alreadyPrivate = before?.kind === "name" && before.allowPrivate;
    if (!alreadyPrivate) rules2.set(key, rule);
  }
}
function parsePolicy(mode, allow) {
  return { mode, rules: parseRules(allow).rules };
}
function layerConflict(rule, layers) {
  if (rule.kind !== "name" || rule.layer === "raw" || rule.port === "any") return void 0;
  const first = layers.get(rule.port);
  if (first === void 0) layers.set(rule.port, rule);
  if (first === void 0 || first.kind !== "name" || first.layer === rule.layer) return void 0;
  return `reads port ${String(rule.port)} as ${rule.layer}, but \`${first.text}\` as ${first.layer}: a port is read in one way`;
}
function rulesInvalid(issues) {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${String(issues.length - 1)} more)` : "";
  return new OffshootError("egress-rules-invalid", {
    message: `Egress rule ${first?.path === "" ? "list" : `\`${first?.path ?? ""}\``} ${first?.message ?? ""}${more}`,
    details: { issues: issues.slice(0, maxIssues), refused: issues.length }
  });
}
function shown(word) {
  const safe = printable(word.replace(/^((?:[a-z][a-z0-9+.-]*:)?(?:\/\/)?).*@/i, "$1***@"));
  return safe.length > 100 ? `${safe.slice(0, 99)}…` : safe;
}
function printable(text) {
  return text.replace(new RegExp("\\p{C}", "gu"), "?");
}

export {
  requiredFreeMiB,
  makeFolder,
  settleAll,
  listChains,
  planNetwork,
  planSlot,
  planProxy,
  proxyRules,
  slotPolicyRules,
  heldMode,
  isHeldByName,
  hostRules,
  writeDurably,
  faultPoint,
  reportQemu,
  openQemuVmm,
  runtimeTools,
  systemSearchPath,
  missingTools,
  qemuOptions,
  systemParts,
  parseRules,
  parsePolicy
};
