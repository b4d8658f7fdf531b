// The form to try an operation, its answer, and the same request as code.
import { forgetChoices } from './docs-choices.js';
import { h } from './docs-dom.js';
import { answerView, outcomeView, send } from './docs-exchange.js';
import { fieldsOf, learn } from './docs-fields.js';
import { readRequest } from './docs-request.js';
import { samplesView } from './docs-samples.js';
import { accessToken, isOpenToAll, openSignIn } from './docs-session.js';

/** The form of an operation, and `refresh`, to be called after a sign-in or sign-out. */
export function tryView(operation) {
  const fields = fieldsOf(operation);
  const read = () => readRequest(operation, fields);
  const samples = samplesView(read);
  const signIn = h('button', { type: 'button', onclick: openSignIn }, 'Sign in');
  const hint = h('p', { class: 'hint' }, 'This needs a signed-in user. ', signIn);
  const answer = h('div', { class: 'answer' });
  const outcome = h('p', { role: 'status' });
  const result = h('div', { class: 'result' }, outcome, answer);
  const button = h('button', { class: 'primary' }, 'Send');
  const link = openLink(read);
  let following;

  function refresh() {
    samples.refresh();
    hint.hidden = !operation.needsToken || isOpenToAll || accessToken() !== undefined;
  }
  async function submit(event) {
    event.preventDefault();
    if (operation.opens) link.click();
    if (operation.opens || button.disabled) return;
    if (following) {
      following.abort();
      return;
    }
    button.disabled = true;
    outcome.replaceChildren('Sending…');
    answer.replaceChildren();
    following = new AbortController();
    const request = read();
    const last = await send(request, { signal: following.signal, show: showPart });
    following = undefined;
    show(last, 'Send');
    forgetChoices(request);
    if (!last.failure) learn(operation, last);
  }
  function showPart(part) {
    show(part, 'Stop');
    if (!form.isConnected) following.abort();
  }
  function show(shown, next) {
    // A stream that goes on must not move what is being read.
    const isFirst = answer.childElementCount === 0;
    button.disabled = false;
    button.textContent = next;
    outcome.replaceChildren(...outcomeView(shown));
    answer.replaceChildren(...answerView(shown, operation));
    if (isFirst) reveal();
  }
  const reveal = () => result.scrollIntoView({ block: 'nearest' });
  // A picture has no height before it is loaded.
  answer.addEventListener('load', reveal, true);

  const form = h(
    'form',
    { onsubmit: submit, oninput: refresh, onkeydown: sendOnCtrlEnter },
    fields.filter(({ required }) => required).map(({ element }) => element),
    foldedView(fields.filter(({ required }) => !required)),
    hint,
    h('div', { class: 'send' }, operation.opens ? link : button),
  );
  for (const { required, load } of fields) if (required) load?.();
  refresh();
  const element = h(
    'section',
    { class: 'try', 'aria-labelledby': 'try-title' },
    h('h2', { id: 'try-title' }, 'Try it'),
    form,
    result,
    samples.element,
  );
  return { element, refresh };
}

/** Optional fields, which show when one of them has a value. Choices are loaded when they are seen. */
function foldedView(fields) {
  if (fields.length === 0) return undefined;
  const names = fields.map(({ name }) => name).join(', ');
  function load({ currentTarget }) {
    if (currentTarget.open) for (const each of fields) each.load?.();
  }
  return h(
    'details',
    { class: 'optional', open: fields.some(({ read }) => Boolean(read())), ontoggle: load },
    h('summary', {}, `${fields.length} optional`, h('small', {}, `: ${names}`)),
    fields.map(({ element }) => element),
  );
}

function sendOnCtrlEnter(event) {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
}

/** For operations that answer with a redirect, which a page cannot read: the browser itself follows it. */
function openLink(read) {
  const open = (event) => (event.currentTarget.href = read().url);
  return h(
    'a',
    { class: 'primary', href: '#', target: '_blank', rel: 'noopener', onclick: open },
    'Open in a new tab',
  );
}
