import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { URL, fileURLToPath, pathToFileURL } from 'node:url';

// Compiles `src` into `dist`, and the web app into `dist/web-app`. A command may start at any moment, so that `dist` is always whole: the compiler writes
// into another folder, which then takes its place.

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const folder = mkdtempSync(join(root, '.build-'));
try {
  process.exitCode = await build();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function build() {
  const made = join(folder, 'new');
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const args = [compiler, '--project', join(root, 'tsconfig.build.json'), '--outDir', made];
  if (spawnSync(process.execPath, args, { stdio: 'inherit' }).status !== 0) return 1;
  await compileApp(made);
  if (isSame(made, dist)) touch();
  else swap(made);
  return 0;
}

/** Compiles the web app in the same way as when the service runs from its sources. */
async function compileApp(made) {
  const { compileModules } = await import(pathToFileURL(join(made, 'web', 'pages', 'web-app-files.js')));
  const modules = await compileModules(pathToFileURL(join(root, 'static', 'app', '/')));
  for (const [path, code] of modules) {
    const file = join(made, 'web-app', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
  }
}

/** A command that is loading the same build is not disturbed. */
function isSame(made, present) {
  if (!existsSync(present)) return false;
  const [ours, theirs] = [filesIn(made), filesIn(present)];
  return (
    ours.join() === theirs.join() &&
    ours.every((name) => readFileSync(join(made, name)).equals(readFileSync(join(present, name))))
  );
}

function filesIn(parent) {
  return readdirSync(parent, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(parent.length))
    .sort();
}

/** bin/catalogue runs the sources instead when they are newer than the build. */
function touch() {
  const now = new Date();
  utimesSync(join(dist, 'cli', 'main.js'), now, now);
}

function swap(made) {
  if (existsSync(dist)) renameSync(dist, join(folder, 'old'));
  renameSync(made, dist);
}
