import { readFileSync, readdirSync } from 'node:fs';
import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import { URL } from 'node:url';
import { foreignHeaders, hasHeaders, libraryOfC, missingTools, refusedHeaders } from './compiler.js';
import { refusedNode } from './requirements.js';

// Says in one line why `npm ci` cannot succeed here. It is for running before: npm runs no script of a project until all
// of its packages are installed. Silent when it can succeed, and where that cannot be known.

const TIMEOUT_MS = 5000;
const PROXIES = ['npm_config_https_proxy', 'npm_config_proxy', 'https_proxy', 'HTTPS_PROXY'];
const { env, platform, versions } = process;
// The driver's install script asks for the drivers of another architecture so.
const arch = env.npm_config_arch || process.arch;
const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));

/** Passwords are hashed by a package of the platform, which nobody compiles. */
function refusedHashing() {
  const exists = Object.entries(packages)
    .filter(([path]) => path.includes('/@node-rs/argon2-'))
    .some(
      ([, { os, cpu, libc }]) =>
        os.includes(platform) && cpu.includes(arch) && (!libc || libc.includes(libraryOfC())),
    );
  return exists ? undefined : `No password hashing (@node-rs/argon2) exists for ${platform}-${arch}.`;
}

/** Where the driver's own install script asks for a ready-made one. */
function driverAddress() {
  const driver = packages['node_modules/better-sqlite3'].version;
  const { npm_config_better_sqlite3_binary_host: mirror } = env;
  const host = mirror || 'https://github.com/WiseLibs/better-sqlite3/releases/download';
  const system = `${platform}${libraryOfC() === 'musl' ? 'musl' : ''}-${arch}`;
  return `${host}/v${driver}/better-sqlite3-v${driver}-node-v${versions.modules}-${system}.tar.gz`;
}

function isCached(address) {
  try {
    const cache = join(env.npm_config_cache ?? join(homedir(), '.npm'), '_prebuilds');
    return readdirSync(cache).some((name) => name.endsWith(basename(address)));
  } catch {
    return false;
  }
}

/** Why nothing can be fetched from an address; undefined when it can, or when only a proxy knows. */
function unreachable(address) {
  if (PROXIES.some((name) => env[name])) return undefined;
  const { host, protocol } = new URL(address);
  const request = protocol === 'https:' ? overHttps : overHttp;
  return new Promise((resolve) => {
    const asked = request(address, { method: 'HEAD', timeout: TIMEOUT_MS }, ({ statusCode }) => {
      asked.destroy();
      resolve(statusCode < 400 ? undefined : `${host} answers ${statusCode}`);
    });
    asked.on('timeout', () => asked.destroy(new Error('no answer')));
    asked.on('error', ({ code, message }) => resolve(`${host}: ${code ?? message}`));
    asked.end();
  });
}

async function refusedDriver() {
  const missing = missingTools();
  const crash = refusedHeaders() ?? foreignHeaders();
  if (!crash && missing.length === 0 && hasHeaders()) return undefined;
  const address = driverAddress();
  const absent = isCached(address) ? undefined : await unreachable(address);
  if (absent === undefined) return undefined;
  const advice = crash ?? (await adviceToCompile(missing));
  return (
    advice &&
    `No ready-made SQLite driver for Node ${versions.node} on ${platform}-${arch} (${absent}): ${advice}.`
  );
}

/** What compiling needs besides; undefined when nothing. */
async function adviceToCompile(missing) {
  // None is made any more for Node 20.
  const newer = versions.node.startsWith('20.') ? ', or use Node 22 or 24' : '';
  if (missing.length > 0)
    return `install ${missing.join(', ').replace(/, ([^,]*)$/, ' and $1')} to compile it${newer}`;
  const headless = await unreachable(process.release.headersUrl);
  return (
    headless && `to compile it, set npm_config_nodedir to a folder with include/node (${headless})${newer}`
  );
}

const refusal = refusedNode() ?? refusedHashing() ?? (await refusedDriver());
if (refusal !== undefined) {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}
