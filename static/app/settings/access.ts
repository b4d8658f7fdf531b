import { fill, texts } from '../base/texts.js';
import { signOutHere } from '../state/account.js';
import { act } from '../state/actions.js';
import { load } from '../state/data.js';
import { readOwn, sendAll } from '../state/outbox.js';
import * as format from '../base/format.js';
import { setUi, state } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { missing } from '../parts/parts.js';
import { sendForm } from '../parts/send-form.js';
import { askFirst } from '../parts/ask.js';
import { line, secretBox } from './parts.js';
import type { ApiToken, Session, State } from '../base/types.js';

const common = texts.common;
const words = texts.settings;

export const SESSIONS = '/auth/sessions';
export const TOKENS = '/auth/tokens';

const BROWSERS = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' };
const SYSTEMS = {
  Android: 'Android',
  iPhone: 'iPhone',
  iPad: 'iPad',
  Windows: 'Windows',
  'Mac OS': 'macOS',
  Linux: 'Linux',
};

/** @param agent as a program names itself */
function deviceName(agent: string) {
  const named = (names: Record<string, string>) =>
    Object.entries(names).find(([mark]) => agent.includes(mark))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  return browser && system
    ? fill(words.browserOn, { browser, system })
    : agent.split(/[\s(]/, 1)[0] || words.program;
}

/** Signs out; asks first while something was never sent. */
export async function askToSignOut() {
  const waiting = await readOwn();
  const unsent = waiting.length + (state.ui.uploads?.length ?? 0);
  if (unsent === 0) return signOutHere();
  const sendFirst = () => void sendAll().then(askToSignOut);
  // It would cover the question on a phone.
  setUi({ toast: undefined });
  const canSend = state.online && waiting.some(({ state }) => state === 'waiting');
  askFirst({
    title: fill(words.neverSent, { count: unsent }),
    text: words.neverSentText,
    yes: words.signOutAnyway,
    run: () => void signOutHere(),
    ...(canSend && { other: { text: words.sendFirst, run: sendFirst } }),
  });
}

export function sessionsPart({ data }: State) {
  const sessions = data[SESSIONS]?.body as Session[] | undefined;
  if (!sessions) return missing(data[SESSIONS], () => load(SESSIONS));
  return html`<ul class="lines">
    ${sessions.map((session) => {
      const { id, current, user_agent: agent, ip_address: address } = session;
      const button = html`<button
        type="button"
        class="button"
        @click=${() => (current ? askToSignOut() : askToEnd(id))}
      >
        ${current ? common.signOut : words.end}
      </button>`;
      return line(deviceName(agent), button, [
        current && words.thisBrowser,
        address,
        fill(words.used, { when: format.ago(session.last_used_at) }),
        fill(words.since, { day: format.day(session.created_at) }),
      ]);
    })}
  </ul>`;
}

const askToEnd = (id: number) =>
  askFirst({
    title: words.endThis,
    text: words.endText,
    yes: words.end,
    run: () => void act({ method: 'DELETE', path: `${SESSIONS}/${id}`, said: words.ended }),
  });

export function tokensPart({ data, ui }: State) {
  const tokens = data[TOKENS]?.body as ApiToken[] | undefined;
  if (!tokens) return missing(data[TOKENS], () => load(TOKENS));
  return html`<p class="soft lead">${words.tokensText}</p>
    ${secretBox(ui.token?.name, ui.token?.text)}
    ${tokens.length === 0 ? html`<p>${words.noTokens}</p>` : nothing}
    <ul class="lines">
      ${tokens.map((token) =>
        line(
          token.name,
          html`<button type="button" class="button" @click=${() => askToDelete(token)}>
            ${common.remove}
          </button>`,
          [
            token.last_used_at === null
              ? words.neverUsed
              : fill(words.used, { when: format.ago(token.last_used_at) }),
            token.expires_at === null
              ? words.forever
              : fill(words.expires, { day: format.day(token.expires_at) }),
          ],
        ),
      )}
    </ul>
    ${sendForm({
      name: 'token',
      fields: [{ name: 'name', label: words.tokenName, required: true, max: 100 }, daysField('90')],
      submit: words.makeToken,
      run: async ({ name, expires_in_days: days }) => {
        const body = { name, expires_in_days: days ? Number(days) : null };
        const outcome = await act({ method: 'POST', path: TOKENS, body, quiet: true });
        if (!outcome.ok) return outcome.fault;
        setUi({ token: { name, text: outcome.body.token } });
        return undefined;
      },
    })}`;
}

/** @param most days */
export const daysField = (value: string, most = Infinity) => ({
  name: 'expires_in_days',
  label: words.days,
  required: true,
  value,
  choices: Object.entries(words.dayChoices).filter(
    ([days]) => most === Infinity || (days && Number(days) <= most),
  ),
});

const askToDelete = ({ id, name }: ApiToken) =>
  askFirst({
    title: fill(words.deleteToken, { name }),
    text: words.deleteTokenText,
    yes: common.remove,
    run: () => void act({ method: 'DELETE', path: `${TOKENS}/${id}`, said: words.tokenDeleted }),
  });
