"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const policies = Object.keys(data.details);
const darkMode = matchMedia("(prefers-color-scheme: dark)");
const state = {
  policy: policies[0],
  resource: data.resources[0],
  utility: "total",
  jobTable: "one",
  search: "",
  moreJobs: false,
  rows: [0, 100],
  time: [0, 100],
};

const byId = (id) => document.getElementById(id);

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

/* Text of others, as it can be shown: what would steer the text around it is replaced. */
function shown(text) {
  return String(text).replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/gu, "\ufffd");
}

/* The middle is left out: what tells long names apart is often at their end. */
function shortened(text, most) {
  const letters = Array.from(shown(text));
  if (letters.length <= most) return letters.join("");
  const head = Math.ceil((most - 1) / 2);
  return `${letters.slice(0, head).join("")}\u2026${letters.slice(letters.length - (most - 1 - head)).join("")}`;
}

function nameOf(text, most = 48) {
  return element("span", { className: "name", title: shown(text) }, shortened(text, most));
}

function swatch(policy) {
  const made = element("span", { className: "swatch" });
  made.style.background = colourOf(policy);
  return made;
}

function colourOf(policy) {
  return data.colours[policy][darkMode.matches ? 1 : 0];
}

function styled(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function mixed(from, to, share) {
  const parts = [1, 3, 5].map((at) => {
    const [a, b] = [from, to].map((colour) => parseInt(colour.slice(at, at + 2), 16));
    return Math.round(a + (b - a) * share).toString(16).padStart(2, "0");
  });
  return `#${parts.join("")}`;
}

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

function number(value, digits = 4) {
  if (!isNumber(value)) return "";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e7) return value.toExponential(2).replace("e+", "e").replaceAll("-", "\u2212");
  const kept = Math.max(digits, Math.ceil(Math.log10(size + 1)));
  return value.toLocaleString("en", { maximumSignificantDigits: kept }).replace("-", "\u2212");
}

/* On an axis: no zeros that say nothing. */
function rounded(value) {
  const size = Math.abs(value);
  if (size >= 1e-3 || size === 0) return number(value);
  const kept = Number(value.toPrecision(3));
  return (size >= 1e-4 ? String(kept) : kept.toExponential()).replaceAll("-", "\u2212");
}

function percent(share) {
  if (!isNumber(share)) return "";
  return `${(100 * share).toLocaleString("en", { maximumFractionDigits: Math.abs(share) < 0.1 ? 1 : 0 })} %`;
}

function plural(count, what) {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

function duration(seconds) {
  for (const [unit, size] of [["h", 3600], ["min", 60], ["s", 1]]) {
    if (seconds >= size && Number.isInteger((seconds / size) * 100)) return `${number(seconds / size)} ${unit}`;
  }
  return `${number(seconds)} s`;
}

function mean(values) {
  const known = values.filter(isNumber);
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}

function spread(values) {
  const known = values.filter(isNumber);
  const centre = mean(known);
  if (known.length < 2) return null;
  return Math.sqrt(known.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (known.length - 1));
}

function ofBound(summary) {
  return summary.utilities.map((utility, seed) => (summary.bounds[seed] ? utility / summary.bounds[seed] : null));
}

const seeds = Math.max(0, ...data.summaries.map((summary) => summary.utilities.length));
const haveBounds = data.summaries.some((summary) => summary.bounds.some((bound) => bound));
const slotTitle = `slot (${duration(data.slotSeconds)} each)`;

const REASONS = {
  price: "its resources cost at least what it is worth, whatever its completion",
  full: "it cannot finish within what earlier jobs have left",
  infeasible: "it cannot finish before the horizon, even with the whole cluster to itself",
  no_rounding: "randomised rounding found no placement for it",
};
