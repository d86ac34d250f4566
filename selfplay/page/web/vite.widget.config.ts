import { join } from "node:path";
import { defineConfig } from "vite";

/** The notebook widget, a module of its own in the Python package. */
export default defineConfig({
  build: {
    target: "es2022",
    outDir: join(import.meta.dirname, "../../../python/darkqi/_widget"),
    emptyOutDir: true,
    lib: {
      entry: join(import.meta.dirname, "src/widget/widget.ts"),
      formats: ["es"],
      fileName: () => "widget.js",
      cssFileName: "widget",
    },
  },
});
