import { accessSync, constants, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';

const { env, platform, version } = process;

/** What compiling a driver lacks on this machine, by the names of Debian's packages. */
export function missingTools() {
  // On Windows the compiler is in no folder of PATH.
  if (platform === 'win32') return [];
  const has = (programs, ...settings) => settings.some((name) => env[name]) || programs.some(isProgram);
  return [
    has(['python3', 'python'], 'npm_config_python', 'PYTHON', 'NODE_GYP_FORCE_PYTHON') ? [] : 'python3',
    has(['make', 'gmake'], 'MAKE') ? [] : 'make',
    has(['g++', 'c++'], 'CXX') ? [] : 'g++',
  ].flat();
}

/** Whether the headers of Node are here: where npm is told, next to Node, or from an earlier compilation. */
export function hasHeaders() {
  const { use_prefix_to_find_headers: usesPrefix, node_prefix: prefix } = process.config.variables;
  const caches = [env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), join(homedir(), 'Library', 'Caches')];
  return (
    (Boolean(env.npm_config_nodedir) && headersVersion(env.npm_config_nodedir) === version) ||
    (usesPrefix && headersVersion(prefix) === version) ||
    caches.some((cache) => isThere(join(cache, 'node-gyp', version.slice(1))))
  );
}

/** Why the headers that npm is configured to use do not fit: a driver compiled with those of another Node may crash. */
export function foreignHeaders() {
  const folder = env.npm_config_nodedir;
  const found = folder && headersVersion(folder);
  return found && found !== version
    ? `npm_config_nodedir (${folder}) has the headers of Node ${found.slice(1)}, and this is Node ${version.slice(1)}`
    : undefined;
}

/** The version of the headers in a folder, such as v22.13.0; undefined when there are none. */
function headersVersion(folder) {
  try {
    const text = readFileSync(join(folder, 'include', 'node', 'node_version.h'), 'utf8');
    const parts = ['MAJOR', 'MINOR', 'PATCH'].map(
      (part) => new RegExp(`^#define NODE_${part}_VERSION (\\d+)$`, 'm').exec(text)?.[1],
    );
    return parts.includes(undefined) ? undefined : `v${parts.join('.')}`;
  } catch {
    return undefined;
  }
}

/**
 * Why compiling would be in vain; undefined where it would not. With the headers of Node 24.19 and of Node 26, whose
 * ObjectWrap removes a hook of an environment, this driver crashes when it collects garbage.
 */
export function refusedHeaders(node = process.versions.node) {
  const [major, minor] = node.split('.').map(Number);
  const isLater = major >= 26 || (major === 24 && minor >= 19);
  return isLater
    ? 'compiled for this Node it would crash; with python3, make and g++ use Node 22'
    : undefined;
}

/** The C library of Linux as package-lock.json names it. */
export function libraryOfC() {
  if (platform !== 'linux') return '';
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}

const isProgram = (name) =>
  (env.PATH ?? '').split(delimiter).some((folder) => isThere(join(folder, name), constants.X_OK));

function isThere(path, mode = constants.F_OK) {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
