import { type Operation, elementsOf, isFields, readDescription } from '../support/description.ts';
import { FORM_TYPE, form, photoPart } from '../support/photos.ts';

const { operations, resolve, entries } = readDescription();
// Without a dot: a service without accounts refuses other names.
const HOST = 'Host: catalogue\r\n';
const ORIGIN = 'Origin: http://localhost:3000\r\n';
const COMMON = 'User-Agent: recorder/1\r\nAccept: application/json\r\n';

/**
 * Requests as clients send them: every operation of the description plain, with each of its parameters, with each of
 * its examples as a body of known length and in chunks, twice in one write, and as a preflight.
 */
export function recordedRequests(): readonly Buffer[] {
  return operations.flatMap((operation) => {
    const path = pathOf(operation);
    const bodies = bodiesOf(operation);
    const targets = [path, ...queriesOf(operation).map((query) => `${path}?${query}`)];
    const line = (target: string, method: string = operation.method): string =>
      `${method} ${target} HTTP/1.1\r\n${HOST}${COMMON}`;
    const preflight = Buffer.from(
      `${line(path, 'OPTIONS')}${ORIGIN}Access-Control-Request-Method: ${operation.method}\r\n\r\n`,
    );
    const plain = targets.map((target) => Buffer.from(`${line(target)}\r\n`));
    const [first] = plain;
    const twice = first && operation.method === 'GET' ? [Buffer.concat([first, first])] : [];
    if (bodies.length === 0) return [...plain, ...twice, preflight];
    const filled = bodies.flatMap(({ type, content }) => {
      const head = `${line(path)}Content-Type: ${type}\r\n`;
      const size = content.length.toString(16);
      return [
        framed(`${head}Content-Length: ${content.length}\r\n\r\n`, content, ''),
        framed(`${head}Transfer-Encoding: chunked\r\n\r\n${size}\r\n`, content, '\r\n0\r\n\r\n'),
      ];
    });
    return [...filled, preflight];
  });
}

const framed = (head: string, content: Buffer, tail: string): Buffer =>
  Buffer.concat([Buffer.from(head), content, Buffer.from(tail)]);

function pathOf({ path, parameters }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, (_template, wanted: string) =>
    String(parameters.find(({ name }) => name === wanted)?.['example']),
  );
}

function queriesOf({ parameters }: Operation): string[] {
  return parameters
    .filter((parameter) => parameter['in'] === 'query')
    .map((parameter) => {
      const schema = isFields(parameter['schema']) ? resolve(parameter['schema']) : {};
      const value = parameter['example'] ?? schema['example'] ?? elementsOf(schema['enum'])[0];
      const text = typeof value === 'string' ? value : JSON.stringify(value ?? 1);
      return `${String(parameter['name'])}=${encodeURIComponent(text)}`;
    });
}

interface Body {
  readonly type: string;
  readonly content: Buffer;
}

function bodiesOf({ fields }: Operation): Body[] {
  if (fields['requestBody'] === undefined) return [];
  return entries(resolve(fields['requestBody'])['content']).flatMap(([type, media]) => {
    if (type !== 'application/json') return [{ type: FORM_TYPE, content: form(photoPart()) }];
    const several = entries(media['examples']).map(([, { value }]) => value);
    const values = several.length > 0 ? several : [media['example']];
    return values.map((value) => ({ type, content: Buffer.from(JSON.stringify(value ?? {})) }));
  });
}
