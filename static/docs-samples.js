// The request of a form as code, for people to copy.
import { codeBlock, copyButton, h, tabs } from './docs-dom.js';
import { headersOf } from './docs-request.js';
import { noteLanguage, notedLanguage } from './docs-storage.js';

const PRINTERS = { curl: printCurl, JavaScript: printJavaScript, Python: printPython };
const LANGUAGES = Object.keys(PRINTERS);

/** The samples of the request that `read` returns, in tabs, and `refresh`, which prints them anew. */
export function samplesView(read) {
  const samples = LANGUAGES.map((name) => h('span', { class: name }));
  let selected = Math.max(0, LANGUAGES.indexOf(notedLanguage()));
  function refresh() {
    const request = read();
    const whole = { ...request, headers: Object.entries(headersOf(request)) };
    for (const [index, name] of LANGUAGES.entries()) samples[index].textContent = PRINTERS[name](whole);
  }
  function onSelect(index) {
    selected = index;
    noteLanguage(LANGUAGES[index]);
  }
  const copy = copyButton('Copy', () => samples[selected].textContent);
  const choices = LANGUAGES.map((name, index) => [name, codeBlock(samples[index], 'Code')]);
  const element = h(
    'div',
    { class: 'samples' },
    h('h3', {}, 'The same as code ', copy),
    tabs('Languages', choices, { selected, onSelect }),
  );
  return { element, refresh };
}

function printCurl({ method, url, headers, json, form = [], opens, streams }) {
  const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
  const option = opens ? '-i ' : streams ? '-N ' : '';
  const first = method === 'GET' ? `curl ${option}${quoted(url)}` : `curl -X ${method} ${quoted(url)}`;
  const fields = form.map(([name, value]) =>
    value instanceof File
      ? `-F ${quoted(`${name}=@"${value.name.replace(/["\\]/g, '\\$&')}"`)}`
      : `--form-string ${quoted(`${name}=${value}`)}`,
  );
  const lines = [first, ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`), ...fields];
  // With -d, text after an @ would be the name of a file.
  if (json !== undefined) lines.push(`${json.startsWith('@') ? '--data-raw' : '-d'} ${quoted(json)}`);
  return lines.join(' \\\n  ');
}

function printJavaScript({ method, url, headers, json, form, opens, streams, isBinary }) {
  const hasFiles = form?.some(([, value]) => value instanceof File);
  const options = [
    method !== 'GET' && `method: '${method}'`,
    headers.length > 0 && `headers: ${block(headers.map(entry), 1)}`,
    form && 'body: form',
    json !== undefined && `body: \`${escaped(json, /[\\`]|\$(?=\{)/g)}\``,
    opens && "redirect: 'manual'",
  ].filter(Boolean);
  const shown = isBinary ? 'blob' : 'text';
  return [
    hasFiles && "import { readFile } from 'node:fs/promises';\n",
    form && 'const form = new FormData();',
    ...(form ?? []).map(([name, value]) => `form.append(${literal(name)}, ${partInJavaScript(value)});`),
    `const response = await fetch(${literal(url)}${options.length > 0 ? `, ${block(options)}` : ''});`,
    streams
      ? 'for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text);'
      : `console.log(response.status, ${opens ? "response.headers.get('location')" : `await response.${shown}()`});`,
  ]
    .filter(Boolean)
    .join('\n');
}

function partInJavaScript(value) {
  if (!(value instanceof File)) return literal(value);
  const type = value.type && `, { type: ${literal(value.type)} }`;
  return `new Blob([await readFile(${literal(value.name)})]${type}), ${literal(value.name)}`;
}

const NO_REDIRECT = `class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None

urllib.request.install_opener(urllib.request.build_opener(NoRedirect))
`;
const PART = `boundary = uuid.uuid4().hex

def part(headers, content):
    head = f'--{boundary}\\r\\nContent-Disposition: form-data; {headers}\\r\\n\\r\\n'
    return head.encode() + content + b'\\r\\n'
`;

function printPython({ method, url, headers, json, form, opens, streams, isBinary }) {
  const type = form && "'Content-Type': f'multipart/form-data; boundary={boundary}'";
  const lines = [...headers.map(entry), type].filter(Boolean);
  const parts = form?.map(([name, value]) => partInPython(name, value));
  const data = form
    ? `b''.join(${block([...parts, "f'--{boundary}--\\r\\n'.encode()"], 1, 4, '[]')})`
    : json !== undefined && `'''${escaped(json, /[\\']/g)}'''.encode()`;
  const options = [
    literal(url),
    method !== 'GET' && `method='${method}'`,
    lines.length > 0 && `headers=${block(lines, 1, 4)}`,
    data && `data=${data}`,
  ].filter(Boolean);
  const shown = opens
    ? "response.headers['Location']"
    : isBinary
      ? "len(response.read()), 'bytes'"
      : 'response.read().decode()';
  return [
    'import urllib.error\nimport urllib.request',
    form && 'import uuid\nfrom pathlib import Path',
    '',
    form && PART,
    opens && NO_REDIRECT,
    `request = urllib.request.Request${block(options, 0, 4, '()')}`,
    'try:\n    response = urllib.request.urlopen(request)',
    'except urllib.error.HTTPError as error:\n    response = error',
    streams
      ? "for line in response:\n    print(line.decode(), end='', flush=True)"
      : `print(response.status, ${shown})`,
  ]
    .filter((line) => typeof line === 'string')
    .join('\n');
}

function partInPython(name, value) {
  const quoted = (text) => `"${text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`;
  if (!(value instanceof File)) return `part(${literal(`name=${quoted(name)}`)}, ${literal(value)}.encode())`;
  const type = value.type || 'application/octet-stream';
  const head = `name=${quoted(name)}; filename=${quoted(value.name)}\r\nContent-Type: ${type}`;
  return `part(${literal(head)}, Path(${literal(value.name)}).read_bytes())`;
}

const entry = ([name, value]) => `${literal(name)}: ${literal(value)}`;

/** Lines between brackets, indented below others at `depth`. */
function block(lines, depth = 0, width = 2, [open, close] = '{}') {
  const indent = ' '.repeat(width * (depth + 1));
  return `${open}\n${lines.map((line) => `${indent}${line},\n`).join('')}${' '.repeat(width * depth)}${close}`;
}

/** A text on one line, between quotes, as both JavaScript and Python read it. */
function literal(text) {
  return `'${escaped(text, /[\\']/g).replaceAll('\n', '\\n')}'`;
}

/** A text for a literal that may have several lines. Both languages read these escapes of invisible characters. */
function escaped(text, special) {
  const invisible = /[^\P{Cc}\n]|[\p{Zl}\p{Zp}]/gu;
  const hex = (character) => `\\u${character.charCodeAt().toString(16).padStart(4, '0')}`;
  return text.replace(special, '\\$&').replace(invisible, hex);
}
