import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  info
} from "./chunk-HGD2WCUR.mjs";

// action/log/clean-text.ts
var anyControl = /[\0-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]/;
var controlsAndTitles = /\x1b\][^\0-\x1f\x7f]{0,2040}(?:\x07|\x1b\\)|[\0-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]/g;
function cleanText(text, protect) {
  let clean = text;
  for (const form of protect.maskedHere) clean = clean.replaceAll(form, "***");
  if (anyControl.test(clean)) clean = clean.replace(controlsAndTitles, picture);
  return clean.includes("##[") ? clean.replaceAll("##[", "##\\[") : clean;
}
function picture(found) {
  if (found.length > 1) return found;
  const code = found.charCodeAt(0);
  if (code === 127) return "␡";
  return code < 32 ? String.fromCharCode(9216 + code) : "�";
}

// action/log/protected-values.ts
var changedByCleaning = /[\0-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]|#\[/;
function protectedForms(values) {
  const forms = /* @__PURE__ */ new Set();
  for (const value of values) {
    const lines = value.split(/[\r\n]+/);
    for (const plain of /* @__PURE__ */ new Set([value, ...lines, ...lines.map((line) => line.trim())])) {
      if (plain.trim() === "") continue;
      for (const form of encodings(plain)) {
        if (form.length >= 2 && !/[\r\n]/.test(form)) forms.add(form);
      }
    }
  }
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  return {
    forms: longestFirst,
    maskedHere: longestFirst.filter((form) => changedByCleaning.test(form)),
    longest: longestFirst[0]?.length ?? 0
  };
}
function encodings(value) {
  const bytes = Buffer.from(value);
  const encoded = [0, 1, 2].filter((shift) => bytes.length > shift).map((shift) => bytes.subarray(shift).toString("base64"));
  const xml = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&apos;");
  return [value, ...encoded, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed()), xml];
}

// action/say.ts
var nothing = protectedForms([]);
function say(text) {
  for (const line of text.split(/\r\n|\r|\n/)) info(harmless(line));
}
function harmless(line) {
  const clean = cleanText(line, nothing);
  return clean.trimStart().startsWith("::") ? `| ${clean}` : clean;
}

export {
  cleanText,
  protectedForms,
  say
};
