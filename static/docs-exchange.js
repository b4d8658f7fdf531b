// Sends a request from the form, and shows the answer.
import { JSON_TYPE, codeBlock, copyButton, h, inline, jsonBlock, sizeText, tabs } from './docs-dom.js';
import { headersOf } from './docs-request.js';
import { resolve } from './docs-schema.js';
import { keepFresh, renew } from './docs-session.js';

const MAX_SHOWN = 200_000;
const STREAM_TYPE = 'text/event-stream';

/**
 * Returns the answer, after a refresh of the access token when it has expired; `failure` says why there is none. For a
 * stream, `show` is called with the answer so far at each part of it, until `signal` ends it.
 */
export async function send(request, { signal, show }) {
  try {
    if (request.takesToken) await keepFresh();
    const result = await exchange(request, signal, show);
    if (result.status !== 401 || !request.takesToken || !(await renew())) return result;
    return await exchange(request, signal, show);
  } catch (error) {
    return { failure: `No answer: ${error.message}` };
  }
}

async function exchange(request, signal, show) {
  const { method, url, json, form } = request;
  const data = new FormData();
  for (const [name, value] of form ?? []) data.append(name, value);
  const started = performance.now();
  const response = await fetch(url, {
    method,
    headers: headersOf(request),
    body: form ? data : json,
    cache: 'no-store',
    signal,
  });
  const type = (response.headers.get('content-type') ?? '').split(';')[0];
  const resultOf = (blob, text) => ({
    status: response.status,
    reason: response.statusText,
    headers: [...response.headers],
    ms: performance.now() - started,
    blob,
    text,
    value: type === JSON_TYPE ? JSON.parse(text) : undefined,
  });
  if (type === STREAM_TYPE) return follow(response.body, resultOf, show);
  const blob = await response.blob();
  return resultOf(
    blob,
    type.startsWith('image/') && type !== 'image/svg+xml' ? undefined : await blob.text(),
  );
}

async function follow(body, resultOf, show) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true }));
    if (done) return resultOf(new Blob([text]), text);
    text += value;
    show(resultOf(new Blob([text]), text));
  }
}

/** Status, time and size in one line. */
export function outcomeView({ failure, status, reason, ms, blob }) {
  if (failure) return [h('span', { class: 'status s5' }, failure)];
  return [
    h('span', { class: `status s${String(status)[0]}` }, `${status} ${reason}`),
    ` ${Math.round(ms)} ms, ${sizeText(blob.size)}`,
  ];
}

/** The meaning of the status, the body and the headers. */
export function answerView(result, { responses }) {
  const { failure, status, headers, blob } = result;
  if (failure) return [];
  const meaning = resolve(responses[status]).description;
  const list = headers.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]);
  const choices = [
    ['Body', blob.size > 0 ? bodyView(result) : h('p', {}, 'No body.')],
    ['Headers', h('dl', { class: 'headers' }, list)],
  ];
  return [meaning && h('p', {}, inline(meaning)), ...tabs('Parts of the answer', choices).flat()].filter(
    Boolean,
  );
}

function bodyView({ blob, text, value }) {
  if (text === undefined) return h('img', { src: pictureOf(blob), alt: 'The picture in the answer' });
  const isShort = text.length <= MAX_SHOWN;
  const copy = copyButton('Copy body', () => text);
  if (value !== undefined && isShort) return h('div', {}, jsonBlock(value, 'Body'), copy);
  const rest = isShort ? '' : `\n… and ${text.length - MAX_SHOWN} more characters`;
  return h('div', {}, codeBlock(text.slice(0, MAX_SHOWN) + rest, 'Body'), copy);
}

let picture;

function pictureOf(blob) {
  URL.revokeObjectURL(picture);
  picture = URL.createObjectURL(blob);
  return picture;
}
