import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  parseNpmConfigList
} from "./chunk-3D7ZWVTF.mjs";
import {
  installation
} from "./chunk-ZKOMBEYM.mjs";
import {
  runChecked
} from "./chunk-CIXUOV6D.mjs";
import {
  OffshootError
} from "./chunk-LTWX3RIA.mjs";
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";

// hostd/guest/image/agent-binary.ts
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
var agentProtocolVersion = 1;
async function readAgentBinary(file = installation.agentPath) {
  const bytes = await readFile(file).catch(() => void 0);
  if (bytes === void 0) {
    throw new OffshootError("image-build-failed", {
      message: `The guest agent is not built: ${file} is missing.`,
      hint: "Run: npm run native"
    });
  }
  const build = /offshoot-agent ([0-9A-Za-z.+-]+)\n/.exec(bytes.toString("latin1"))?.[1] ?? "unknown";
  return { bytes, build, digest: createHash("sha256").update(bytes).digest("hex") };
}

// hostd/guest/image/build/plan.ts
import { createHash as createHash2 } from "node:crypto";

// hostd/guest/image/apt/mirror.ts
import { readFile as readFile2, readdir } from "node:fs/promises";
import path from "node:path";

// hostd/guest/image/apt/sources.ts
function parseDeb822(text) {
  return stanzas(text).flatMap((fields) => {
    const words = (name) => (fields.get(name) ?? "").split(/\s+/).filter((word) => word !== "");
    if (!words("types").includes("deb") || isDisabled(fields.get("enabled"))) return [];
    const signedBy = fields.get("signed-by")?.trim();
    return [
      {
        uris: words("uris"),
        suites: words("suites"),
        components: words("components"),
        ...signedBy === void 0 || signedBy === "" ? {} : { signedBy }
      }
    ];
  });
}
function parseOneLine(text) {
  return text.split("\n").flatMap((raw) => {
    const line = raw.replace(/#.*$/, "").trim();
    const match = /^deb\s+(?:\[([^\]]*)\]\s*)?(\S+)\s+(\S+)\s*(.*)$/.exec(line);
    if (match === null) return [];
    const [, options = "", uri = "", suite = "", components = ""] = match;
    const signedBy = /(?:^|\s)signed-by=(\S+)/i.exec(options)?.[1];
    return [
      {
        uris: [uri],
        suites: [suite],
        components: components.split(/\s+/).filter((word) => word !== ""),
        ...signedBy === void 0 ? {} : { signedBy }
      }
    ];
  });
}
function renderDeb822(sources) {
  return sources.map(renderStanza).join("\n");
}
function renderStanza(source) {
  const signedBy = source.signedBy === void 0 ? "" : `Signed-By: ${indentInlineKey(source.signedBy)}
`;
  return `Types: deb
URIs: ${source.uris.join(" ")}
Suites: ${source.suites.join(" ")}
Components: ${source.components.join(" ")}
${signedBy}`;
}
function indentInlineKey(signedBy) {
  if (!signedBy.includes("\n")) return signedBy;
  return signedBy.startsWith("-----") ? `
 ${signedBy}` : signedBy;
}
function stanzas(text) {
  const found = [];
  let fields = /* @__PURE__ */ new Map();
  let last;
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) continue;
    if (line.trim() === "") {
      if (fields.size > 0) found.push(fields);
      fields = /* @__PURE__ */ new Map();
      last = void 0;
      continue;
    }
    if (/^[ \t]/.test(line)) {
      if (last !== void 0) fields.set(last, `${fields.get(last) ?? ""}
${line}`);
      continue;
    }
    const colon = line.indexOf(":");
    if (colon < 1) continue;
    last = line.slice(0, colon).trim().toLowerCase();
    fields.set(last, line.slice(colon + 1).trim());
  }
  if (fields.size > 0) found.push(fields);
  return found;
}
function isDisabled(enabled) {
  return enabled !== void 0 && ["no", "false", "without", "off", "disable"].includes(enabled.trim().toLowerCase());
}

// hostd/guest/image/apt/mirror.ts
var suffixes = ["", "-updates", "-security"];
var movingNames = ["stable", "oldstable", "testing"];
function parseOsRelease(text) {
  const value = (key) => new RegExp(`^${key}=["']?([^"'\\n]*)`, "m").exec(text)?.[1] ?? "";
  return { id: value("ID"), codename: value("VERSION_CODENAME") };
}
async function readHostSources(aptDirectory) {
  const main = await readFile2(path.join(aptDirectory, "sources.list"), "utf8").catch(() => "");
  const sources = parseOneLine(main);
  const parts = path.join(aptDirectory, "sources.list.d");
  for (const name of (await readdir(parts).catch(() => [])).sort()) {
    if (name.endsWith(".list")) sources.push(...parseOneLine(await readFile2(path.join(parts, name), "utf8")));
    if (name.endsWith(".sources")) sources.push(...parseDeb822(await readFile2(path.join(parts, name), "utf8")));
  }
  return sources;
}
function sourcesForSuite(hostSources, host, target) {
  if (host.id !== target.distribution) return void 0;
  const own = hostSources.filter((source) => source.components.includes("main") && isDistributionKey(source.signedBy));
  const named = own.filter((source) => source.uris.some((uri) => archiveName(uri).startsWith(host.id)));
  const mapped = (named.length > 0 ? named : own).flatMap((source) => {
    const suites = source.suites.flatMap((suite) => mapSuite(suite, host.codename, target.suite) ?? []);
    const uris = source.uris.filter((uri) => /^(https?|file|ftp):/.test(uri));
    if (suites.length === 0 || uris.length === 0) return [];
    return [{ ...source, uris, suites, components: mainComponents(source.components) }];
  });
  return mapped.some((source) => source.suites.includes(target.suite)) ? mapped : void 0;
}
function mapSuite(suite, hostCodename, target) {
  for (const base of [hostCodename, ...movingNames]) {
    const suffix = suffixes.find((candidate) => suite === `${base}${candidate}`);
    if (suffix !== void 0) return `${target}${suffix}`;
  }
  return void 0;
}
function mainComponents(components) {
  return components.filter((component) => component === "main" || component === "universe");
}
function isDistributionKey(signedBy) {
  return signedBy === void 0 || signedBy.includes("\n") || /(debian|ubuntu)-archive/.test(signedBy);
}
function archiveName(uri) {
  return uri.replace(/\/+$/, "").split("/").at(-1) ?? "";
}

// hostd/guest/image/certificates.ts
import { X509Certificate } from "node:crypto";
import { readFile as readFile3 } from "node:fs/promises";
var hostBundles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];
var guestBundle = "/etc/ssl/certs/ca-certificates.crt";
var extraBundle = "/etc/offshoot/extra-ca.crt";
var certificateEnvironment = {
  SSL_CERT_FILE: guestBundle,
  PIP_CERT: guestBundle,
  REQUESTS_CA_BUNDLE: guestBundle,
  GIT_SSL_CAINFO: guestBundle,
  CURL_CA_BUNDLE: guestBundle,
  AWS_CA_BUNDLE: guestBundle,
  CARGO_HTTP_CAINFO: guestBundle,
  NODE_EXTRA_CA_CERTS: extraBundle
};
function parsePem(text, origin) {
  const blocks = text.match(/-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED )?CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0)
    throw new OffshootError("invalid-request", { message: `${origin} holds no PEM certificate.` });
  return blocks.map((block) => {
    try {
      const certificate = new X509Certificate(block);
      return { pem: certificate.toString(), fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase() };
    } catch (error) {
      throw new OffshootError("invalid-request", {
        message: `${origin} holds a certificate that does not parse.`,
        cause: error
      });
    }
  });
}
async function readHostBundle(paths = hostBundles) {
  for (const path4 of paths) {
    const text = await readFile3(path4, "utf8").catch(() => void 0);
    if (text !== void 0) return parseLenient(text);
  }
  return [];
}
function missingCertificates(wanted, present) {
  const seen = new Set(present.map((certificate) => certificate.fingerprint));
  return wanted.filter((certificate) => {
    if (seen.has(certificate.fingerprint)) return false;
    seen.add(certificate.fingerprint);
    return true;
  });
}
function parseLenient(text) {
  const blocks = text.split(/(?<=-----END (?:TRUSTED )?CERTIFICATE-----)/);
  return blocks.flatMap((block) => {
    try {
      return parsePem(block, "bundle");
    } catch {
      return [];
    }
  });
}

// hostd/guest/image/host/urls.ts
function stripCredentials(url) {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1");
}
function isLoopbackUrl(url) {
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^/:?#]*)/i.exec(url)?.[1] ?? url.replace(/:\d+$/, "");
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

// hostd/guest/image/host/apt.ts
var carried = /^Acquire::(https?::(Proxy(::[A-Za-z0-9.-]+)?|Verify-Peer|Verify-Host)|Check-Valid-Until|Check-Date|ForceIPv4|Retries)$/i;
async function readHostApt(runner) {
  try {
    return parseAptConfig((await runChecked(runner, "apt-config", ["dump"])).stdout);
  } catch {
    return [];
  }
}
function parseAptConfig(dump) {
  return dump.split("\n").flatMap((line) => {
    const match = /^(\S+) "(.*)";$/.exec(line);
    const [key = "", value = ""] = match?.slice(1) ?? [];
    return carried.test(key) && value !== "" ? [{ key, value }] : [];
  });
}
function renderAptForHost(settings) {
  return settings.map(({ key, value }) => `${key} "${value}";
`).join("");
}
function renderAptForGuest(settings) {
  return settings.filter(({ key, value }) => !(/proxy/i.test(key) && isLoopbackUrl(value))).map(({ key, value }) => `${key} "${stripCredentials(value)}";
`).join("");
}

// hostd/guest/image/host/npm.ts
var carried2 = ["registry", "proxy", "https-proxy", "noproxy", "strict-ssl", "fetch-timeout", "fetch-retries"];
var defaults = {
  "strict-ssl": "true",
  "fetch-timeout": "300000",
  "fetch-retries": "2"
};
async function readHostNpm(runner, cwd) {
  const ask = (...args) => runChecked(runner, "npm", ["config", "list", ...args], { cwd, timeoutMs: 6e4 });
  const [json, shown] = await Promise.all([ask("--json"), ask()]);
  const told = external_exports.record(external_exports.string(), external_exports.unknown()).parse(JSON.parse(json.stdout));
  return hostNpmFrom({ ...parseNpmConfigList(shown.stdout), ...told });
}
function hostNpmFrom(config) {
  const settings = {};
  for (const [key, raw] of Object.entries(config)) {
    if (!carried2.includes(key) && !/^@[^:/]+:registry$/.test(key)) continue;
    const value = stripCredentials(Array.isArray(raw) ? raw.join(",") : raw === null ? "" : String(raw));
    if (value === "" || value === defaults[key] || key.endsWith("proxy") && isLoopbackUrl(value)) continue;
    settings[key] = value;
  }
  const certificateFile = config["cafile"];
  return {
    settings,
    ...typeof certificateFile === "string" && certificateFile !== "" ? { certificateFile } : {}
  };
}
function renderNpmrc(npm) {
  return Object.entries(npm.settings).map(([key, value]) => `${key}=${value}
`).join("");
}

// hostd/guest/image/host/pip.ts
import { readFile as readFile4 } from "node:fs/promises";
import path2 from "node:path";
var carried3 = ["index-url", "extra-index-url", "trusted-host", "proxy", "timeout", "retries"];
function configFiles(env) {
  if (env["PIP_CONFIG_FILE"] === "/dev/null") return [];
  const home = env["HOME"] ?? "/root";
  const config = env["XDG_CONFIG_HOME"] ?? path2.join(home, ".config");
  return [
    "/etc/xdg/pip/pip.conf",
    "/etc/pip.conf",
    path2.join(home, ".pip/pip.conf"),
    path2.join(config, "pip/pip.conf"),
    ...env["PIP_CONFIG_FILE"] === void 0 ? [] : [env["PIP_CONFIG_FILE"]]
  ];
}
async function readHostPip(env, files = configFiles(env)) {
  const merged = /* @__PURE__ */ new Map();
  for (const file of files) {
    const text = await readFile4(file, "utf8").catch(() => "");
    for (const [key, value] of parsePipConfig(text)) merged.set(key, value);
  }
  for (const [name, value] of Object.entries(env)) {
    if (value === void 0 || !name.startsWith("PIP_")) continue;
    merged.set(canonical(name.slice(4)), value);
  }
  const settings = {};
  for (const key of carried3) {
    const value = merged.get(key);
    if (value !== void 0 && value.trim() !== "")
      settings[key] = value.trim().split(/\s+/).map(stripCredentials).join(" ");
  }
  const certificateFile = merged.get("cert");
  return { settings, ...certificateFile === void 0 ? {} : { certificateFile } };
}
function parsePipConfig(text) {
  const values = /* @__PURE__ */ new Map();
  let section = "";
  let last;
  for (const line of text.split("\n")) {
    if (/^\s*([#;].*)?$/.test(line)) continue;
    const header = /^\[(.+)\]\s*$/.exec(line);
    if (header !== null) {
      section = header[1] ?? "";
      last = void 0;
      continue;
    }
    if (section !== "global" && section !== "install") continue;
    if (/^\s/.test(line) && last !== void 0) {
      values.set(last, `${values.get(last) ?? ""} ${line.trim()}`);
      continue;
    }
    const pair = /^\s*([^=:\s]+)\s*[=:]\s*(.*)$/.exec(line);
    if (pair === null) continue;
    last = canonical(pair[1] ?? "");
    values.set(last, (pair[2] ?? "").trim());
  }
  return values;
}
function renderPipConfig(pip) {
  const lines = Object.entries(pip.settings).map(([key, value]) => `${key} = ${value.split(" ").join("\n    ")}`);
  return lines.length === 0 ? void 0 : `[global]
${lines.join("\n")}
`;
}
function canonical(name) {
  const dashed = name.toLowerCase().replaceAll("_", "-");
  return dashed === "default-timeout" ? "timeout" : dashed;
}

// hostd/guest/image/recipe.ts
import { readFile as readFile5 } from "node:fs/promises";
import path3 from "node:path";
var debianPackage = external_exports.string().regex(/^[a-z0-9][a-z0-9+.-]+$/, "not a Debian package name");
var npmName = external_exports.string().regex(/^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/, "not an npm package name");
var exactVersion = external_exports.string().regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/, "pin one exact version");
var insidePath = external_exports.string().regex(/^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\0]+$/, "a relative path without ..");
var guestPath = external_exports.string().regex(/^\/(?!.*(^|\/)\.\.(\/|$))[^\0]*$/, "an absolute path without ..");
var npmPackageSchema = external_exports.strictObject({
  name: npmName,
  version: exactVersion,
  /** Where the package's content goes in the guest. */
  into: guestPath,
  /** Top-level entries to take; all when absent. */
  keep: external_exports.array(insidePath).optional(),
  /** Commands to link into /usr/local/bin: name to file within the package. */
  commands: external_exports.record(external_exports.string().regex(/^[a-z0-9._-]+$/i), insidePath).optional()
});
var recipeSchema = external_exports.strictObject({
  description: external_exports.string(),
  suite: external_exports.string(),
  suites: external_exports.record(
    external_exports.string().regex(/^[a-z]+$/),
    external_exports.strictObject({
      distribution: external_exports.enum(["debian", "ubuntu"]),
      kernelPackage: debianPackage,
      minMemoryMiB: external_exports.number().int().min(64)
    })
  ),
  diskMiB: external_exports.number().int().min(512).max(1048576),
  packages: external_exports.array(debianPackage),
  npmPackages: external_exports.array(npmPackageSchema),
  kernelArguments: external_exports.array(external_exports.string().regex(/^[\x21-\x7e]+$/)),
  environment: external_exports.record(external_exports.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), external_exports.string().regex(/^[^\n\0]*$/)),
  steps: external_exports.array(external_exports.strictObject({ name: external_exports.string().min(1), run: external_exports.string().min(1) }))
}).refine((recipe) => recipe.suite in recipe.suites, { path: ["suite"], message: "is not among suites" });
async function loadRecipe(name, directory = installation.recipesDirectory) {
  const unknown = () => new OffshootError("invalid-request", {
    message: `There is no image recipe named ${JSON.stringify(name.slice(0, 80))}.`
  });
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) throw unknown();
  const file = path3.join(directory, `${name}.json`);
  const text = await readFile5(file, "utf8").catch(() => void 0);
  if (text === void 0) throw unknown();
  const parsed = recipeSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new OffshootError("image-build-failed", {
    message: `The recipe ${file} is not valid: ${external_exports.prettifyError(parsed.error)}`
  });
}
function suiteOf(recipe, asked) {
  const name = asked ?? recipe.suite;
  const suite = Object.hasOwn(recipe.suites, name) ? recipe.suites[name] : void 0;
  if (suite !== void 0) return { name, ...suite };
  throw new OffshootError("invalid-request", {
    message: `The recipe does not know the suite ${JSON.stringify(name.slice(0, 80))}; it knows ${Object.keys(recipe.suites).join(", ")}.`
  });
}
function packagesOf(recipe, include) {
  const bad = include.find((name) => !debianPackage.safeParse(name).success);
  if (bad !== void 0) {
    throw new OffshootError("invalid-request", {
      message: `${JSON.stringify(bad.slice(0, 80))} is not a Debian package name.`
    });
  }
  return [.../* @__PURE__ */ new Set([...recipe.packages, ...include])].sort();
}
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return { notJson: String(error) };
  }
}

// hostd/guest/image/build/plan.ts
var builderVersion = 1;
async function planBuild(request, host) {
  const recipe = await loadRecipe(request.recipe);
  const suite = suiteOf(recipe, request.suite);
  const packages = packagesOf(recipe, request.include);
  const given = request.extraCaCertificates.flatMap((pem, index) => parsePem(pem, `Certificate file ${String(index + 1)}`));
  const certificates = [
    ...given,
    ...request.hostCaBundle ? await readHostBundle() : [],
    ...request.hostPackageConfig ? host.certificates : []
  ];
  const aptSources = sourcesForSuite(host.aptSources, host.release, { distribution: suite.distribution, suite: suite.name });
  const guestFiles = request.hostPackageConfig ? hostGuestFiles(host) : {};
  const environment = {
    ...recipe.environment,
    ...certificates.length > 0 ? certificateEnvironment : {},
    ...request.hostPackageConfig ? host.proxies : {}
  };
  const requestDigest = digestOf({
    recipe: request.recipe,
    suite: suite.name,
    include: [...request.include].sort(),
    given: given.map((certificate) => certificate.fingerprint).sort(),
    hostCaBundle: request.hostCaBundle,
    hostPackageConfig: request.hostPackageConfig
  });
  const { npmPackages, steps, diskMiB } = recipe;
  const rootDigest = digestOf({
    builderVersion,
    suite: [suite.name, suite.distribution, suite.kernelPackage],
    packages,
    npmPackages,
    steps,
    diskMiB,
    sources: aptSources === void 0 ? null : withoutCredentials(aptSources),
    certificates: certificates.map((certificate) => certificate.fingerprint),
    guestFiles,
    environment
  });
  return { recipe, suite, packages, aptSources, certificates, guestFiles, environment, requestDigest, rootDigest };
}
function recipeDigestOf(plan, agentDigest) {
  const { rootDigest } = plan;
  const { minMemoryMiB } = plan.suite;
  return recipeDigestFrom({ rootDigest, minMemoryMiB, kernelArguments: plan.recipe.kernelArguments }, agentDigest);
}
function recipeDigestFrom({ rootDigest, minMemoryMiB, kernelArguments }, agentDigest) {
  return digestOf({ root: rootDigest, agent: agentDigest, minMemoryMiB, kernelArguments });
}
function digestOf(value) {
  return createHash2("sha256").update(JSON.stringify(value)).digest("hex");
}
function withoutCredentials(sources) {
  return sources.map((source) => ({ ...source, uris: source.uris.map(stripCredentials) }));
}
function hostGuestFiles(host) {
  const files = {
    "/etc/apt/apt.conf.d/90offshoot-host": renderAptForGuest(host.aptSettings),
    "/etc/pip.conf": renderPipConfig(host.pip) ?? "",
    "/usr/local/etc/npmrc": renderNpmrc(host.npm)
  };
  return Object.fromEntries(Object.entries(files).filter(([, text]) => text !== ""));
}

// hostd/guest/image/host/host-config.ts
import { readFile as readFile6 } from "node:fs/promises";

// hostd/guest/image/host/proxy.ts
var names = ["http_proxy", "https_proxy", "no_proxy", "all_proxy"];
function proxyEnvironment(env) {
  const carried4 = {};
  for (const name of names) {
    const value = env[name] ?? env[name.toUpperCase()];
    if (value === void 0 || value === "" || /[\n\0]/.test(value)) continue;
    if (name !== "no_proxy" && isLoopbackUrl(value)) continue;
    carried4[name] = carried4[name.toUpperCase()] = stripCredentials(value);
  }
  return carried4;
}

// hostd/guest/image/host/host-config.ts
var nothingOfNpm = { settings: {} };
async function readHostConfig(runner, forGuests, env = process.env) {
  const [osRelease, aptSources, aptSettings, pip, npm] = await Promise.all([
    readFile6("/etc/os-release", "utf8").catch(() => ""),
    readHostSources("/etc/apt"),
    readHostApt(runner),
    readHostPip(env),
    forGuests ? readHostNpm(runner, "/") : nothingOfNpm
  ]);
  const files = new Set([pip.certificateFile, npm.certificateFile].filter((file) => file !== void 0));
  const texts = await Promise.all([...files].map((file) => readFile6(file, "utf8").catch(() => "")));
  return {
    release: parseOsRelease(osRelease),
    aptSources,
    aptSettings,
    pip,
    npm,
    proxies: proxyEnvironment(env),
    certificates: texts.flatMap(parseLenient)
  };
}

export {
  agentProtocolVersion,
  readAgentBinary,
  renderDeb822,
  renderAptForHost,
  guestBundle,
  extraBundle,
  missingCertificates,
  parseLenient,
  planBuild,
  recipeDigestOf,
  recipeDigestFrom,
  digestOf,
  withoutCredentials,
  readHostConfig
};
