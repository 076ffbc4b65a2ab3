//! Bundles src/ into dist/, and notes from which sources: `node build.mjs`; with --check it only compares.
import { build } from "esbuild";
import { compile } from "json-schema-to-typescript";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const notice =
  "/*! Fathom's report. Contains Observable Plot, D3 and their dependencies: see report.js.licenses.txt */";

const SCHEMA = "../../../docs/fathom.run-1.schema.json";
/** Both made from Rust's types: files of types, with the schema of each and the name of its root. */
const TYPES = [
  ["src/types_document.ts", SCHEMA, "RunDocument"],
  ["src/types_page.ts", "page.schema.json", "PageData"],
];

/** The types of a schema; its title would become their name. */
async function types(from, name) {
  const { title, ...schema } = JSON.parse(readFileSync(join(here, from), "utf8"));
  return compile(schema, name, {
    additionalProperties: false,
    bannerComment: `//! Made by build.mjs from ${from.split("/").pop()}: change nothing here.`,
    style: { printWidth: 120 },
  });
}

async function bundle() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: here,
    entryPoints: { report: "src/main.ts" },
    outdir: "dist",
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    banner: { js: notice },
    logLevel: "warning",
  });
  const text = (end) => outputFiles.find((file) => file.path.endsWith(end)).text;
  const js = text("report.js");
  const css = text("report.css");
  for (const forbidden of ["</script", "<!--"]) {
    if (js.includes(forbidden))
      throw new Error(`the bundle holds ${forbidden}, which would end its element in the page`);
  }
  const sha256 = createHash("sha256").update(js, "utf8").digest("base64") + "\n";
  const made = {
    "report.js": js,
    "report.css": css,
    "report.js.sha256": sha256,
    "report.js.licenses.txt": licenses(metafile),
  };
  return { ...made, "report.fresh": fresh(made) };
}

/** What ISC and MIT ask for: the notice of every package of which something is in the bundle. */
function licenses(metafile) {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const used = inputs
    .filter(([, input]) => input.bytesInOutput > 0)
    .map(([path]) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  const names = [...new Set(used.filter(Boolean))].sort();
  return names
    .map((name) => `${name}\n${"=".repeat(name.length)}\n${license(join(here, "node_modules", name))}\n`)
    .join("\n");
}

function license(folder) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (file) return readFileSync(join(folder, file), "utf8").trim() + "\n";
  const { license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return `${license}, by ${author?.name ?? author}\n`;
}

/** The same sum as crates/report/tests/report_bundle.rs makes, so that a stale bundle is seen without Node. */
function fresh(made) {
  const sources = readdirSync(join(here, "src")).map((name) => `src/${name}`);
  const all = [
    ...sources,
    "build.mjs",
    "package-lock.json",
    "package.json",
    "tsconfig.json",
    "page.schema.json",
    SCHEMA,
  ].sort();
  const sources_sum = fnv(all.map((name) => [name, readFileSync(join(here, name))]));
  const bundle_sum = fnv(
    Object.keys(made)
      .sort()
      .map((name) => [name, Buffer.from(made[name])]),
  );
  return `sources ${sources_sum}\nbundle ${bundle_sum}\n`;
}

/** FNV-1a, 64 bits, over name, NUL, content, NUL. */
function fnv(files) {
  let sum = 0xcbf29ce484222325n;
  for (const [name, content] of files) {
    for (const byte of Buffer.concat([Buffer.from(name), Buffer.of(0), content, Buffer.of(0)])) {
      sum = ((sum ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
    }
  }
  return sum.toString(16).padStart(16, "0");
}

const check = process.argv.includes("--check");
const read = (path) => (existsSync(join(here, path)) ? readFileSync(join(here, path), "utf8") : "");
const stale = [];
/** What is not as it should be is written anew, or, with --check, told. */
function put(path, content) {
  if (read(path) === content) return;
  if (check) stale.push(path);
  else writeFileSync(join(here, path), content);
}

mkdirSync(join(here, "dist"), { recursive: true });
for (const [file, from, name] of TYPES) put(file, await types(from, name));
const made = await bundle();
for (const [name, content] of Object.entries(made)) {
  put(`dist/${name}`, content);
  if (!check) console.log(`${name} ${(content.length / 1024).toFixed(0)} KB`);
}
if (stale.length > 0) {
  console.error(
    `crates/report/page: ${stale.join(", ")} not as the sources make it: run npm run build there and commit`,
  );
  process.exit(1);
}
if (check) console.log("all is what the sources make");
