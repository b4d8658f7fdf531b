import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** A copy of the checkout, compiled: what is edited during a run does not change it. */
export const BUILD = '.test-build';

const COPIED = ['bin', 'sql', 'static', 'package.json', 'CHANGELOG.md', 'README.md', '.env.example'];

/** Compiles `src` and `test` into BUILD, which then looks like the installed package with its tests. Types are not checked. */
export function buildTests(): void {
  const made = new Set([...compile('src', join(BUILD, 'dist')), ...compile('test', join(BUILD, 'test'))]);
  for (const folder of ['dist', 'test'])
    for (const file of filesIn(join(BUILD, folder))) if (!made.has(file)) rmSync(file);
  for (const name of COPIED) {
    rmSync(join(BUILD, name), { recursive: true, force: true });
    cpSync(name, join(BUILD, name), { recursive: true });
  }
  rmSync(join(BUILD, 'src'), { force: true });
  // Tests load the very modules that the program does.
  symlinkSync('dist', join(BUILD, 'src'));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Compiles what changed in `from` into `to`, and copies what is not TypeScript. The files that belong there. */
function compile(from: string, to: string): string[] {
  const file = ts.getParsedCommandLineOfConfigFile(
    'tsconfig.json',
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  );
  const compilerOptions = {
    ...file?.options,
    noEmit: false,
    module: ts.ModuleKind.ESNext,
    inlineSourceMap: from === 'test',
  };
  return filesIn(from).map((file) => {
    const target = join(to, file.slice(from.length)).replace(/\.ts$/, '.js');
    if (isNewer(target, file)) return target;
    mkdirSync(dirname(target), { recursive: true });
    if (file.endsWith('.ts')) {
      const source = readFileSync(file, 'utf8');
      writeFileSync(target, ts.transpileModule(source, { compilerOptions, fileName: file }).outputText);
    } else copyFileSync(file, target);
    return target;
  });
}

function isNewer(one: string, other: string): boolean {
  const time = statSync(one, { throwIfNoEntry: false })?.mtimeMs;
  return time !== undefined && time > statSync(other).mtimeMs;
}
