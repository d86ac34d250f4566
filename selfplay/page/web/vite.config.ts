import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";

/** What the build reads, beside the folder `src`. */
const INPUTS = [
  "index.html",
  "package-lock.json",
  "package.json",
  "tsconfig.json",
  "vite.config.ts",
  "vite.widget.config.ts",
] as const;

/** Lists the digests of all inputs, so that a test without Node can tell whether `dist` is stale. */
function sources(): Plugin {
  return {
    name: "sources",
    generateBundle() {
      const root = import.meta.dirname;
      const files = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
      const lines = [...INPUTS, ...files].sort().map((path) => {
        const digest = createHash("sha256").update(readFileSync(join(root, path)));
        return `${digest.digest("hex")}  ${path}\n`;
      });
      this.emitFile({ type: "asset", fileName: "sources.txt", source: lines.join("") });
    },
  };
}

/** Where `darkqi serve` listens while the page is developed by `npm run dev`. */
const SERVER = "http://127.0.0.1:7878";

export default defineConfig({
  server: {
    proxy: { "/api": { target: SERVER, changeOrigin: true, headers: { origin: SERVER } } },
  },
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [sources()],
  build: {
    target: "es2022",
    // Fixed names, because the files are committed and embedded in the binary.
    rolldownOptions: {
      output: {
        entryFileNames: "app.js",
        assetFileNames: "app[extname]",
        // Preact's licence asks for this notice in copies.
        postBanner: "/* Preact, Copyright (c) 2015-present Jason Miller, MIT licence */",
      },
    },
    modulePreload: false,
    assetsInlineLimit: 0,
  },
});
