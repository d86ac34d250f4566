// Fairy-Stockfish's WASM build as a UCI engine on standard input and output.
//
// The engine cannot open files of the host, so the file that VariantPath names is copied into its file
// system. It loses lines that arrive before its banner, so these wait.
const fs = require("fs");
const readline = require("readline");
const Stockfish = require("fairy-stockfish-nnue.wasm/stockfish.js");

// Milliseconds after the banner until the engine listens, and without a banner.
const SETTLED = 50;
const SILENT = 1500;

async function main() {
  const waiting = [];
  let engine = null;
  let listens = false;

  function send(line) {
    const file = /^setoption name VariantPath value (.*)$/.exec(line);
    if (line === "quit") process.exit(0);
    if (file) {
      engine.FS.writeFile("/variants.ini", fs.readFileSync(file[1]));
      line = "setoption name VariantPath value /variants.ini";
    }
    engine.postMessage(line);
  }

  function start() {
    if (listens) return;
    listens = true;
    waiting.splice(0).forEach(send);
  }

  const lines = readline.createInterface({ input: process.stdin });
  lines.on("line", (line) => (listens ? send(line) : waiting.push(line)));
  lines.on("close", () => process.exit(0));
  engine = await Stockfish();
  engine.addMessageListener((line) => {
    process.stdout.write(line + "\n");
    setTimeout(start, SETTLED);
  });
  setTimeout(start, SILENT);
}

main();
