import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { NO_BROWSER, openContext, test } from '../../support/chromium.ts';
import { type Answer, type Client, array, field } from '../../support/client.ts';

import { PLAIN_TEXTS, hostileMarkup } from '../../support/markup.ts';
import { LOCAL, signUp } from '../../support/people.ts';
import { form, photoPart, sendForm, startWithRestaurant } from '../../support/photos.ts';
import { startService } from '../../support/service.ts';
import { type Shown, showAsHtml } from '../../support/shown.ts';
import { scaled } from '../../support/size.ts';

type Send = (api: Client, values: Readonly<Record<string, string>>) => Promise<Answer>;

const SCRIPT_ADDRESSES = [
  'javascript:hit=1',
  'JaVaScRiPt:hit=1',
  ' javascript:hit=1',
  'java\tscript:hit=1',
  'java\nscript:hit=1',
  '\u0001javascript:hit=1',
  'jav<b>ascript:hit=1',
  'javascript&colon;hit=1',
  'javascript://https://x/%0ahit=1',
  'data:text/html,<script>hit=1</script>',
  'vbscript:hit=1',
  'blob:https://x/1',
  '//x',
  'https:javascript:1',
];

/** Where texts go in, each field with the most characters that it accepts, and the list that returns them. */
interface WayIn {
  readonly fields: Readonly<Record<string, number>>;
  readonly send: Send;
  readonly list: string;
}

const TEXTS = hostileMarkup(2_000);
const SAFE: Shown = { wrong: [], hit: false, requests: [] };
// For each way in. With 2,000, at the scale 5, all texts go through each of them.
const MOST_REQUESTS = scaled(400);
// As many as a user may have.
const MOST_TOKENS = Math.min(MOST_REQUESTS, 100);
// A registration costs much on purpose.
const MOST_PEOPLE = Math.ceil(MOST_REQUESTS / 10);

const posted =
  (path: string, more: object = {}): Send =>
  (api, values) =>
    api.post(path, { ...more, ...values });
const PLACE = { name: 255, address: 500, phone: 50, google_place_id: 255 };
const RATING = { restaurant_id: 1, food_rating: 1, service_rating: 1, ambiance_rating: 1 };
const LOOKUP = { name: 100 };
const LIST = '/restaurants?include_suggestions=false';

const WAYS_IN: readonly WayIn[] = [
  { list: LIST, fields: { ...PLACE, description: 5_000 }, send: posted('/restaurants') },
  { list: '/suggestions', fields: { ...PLACE, notes: 5_000 }, send: posted('/suggestions') },
  { list: '/restaurants/1/ratings', fields: { comment: 5_000 }, send: posted('/ratings', RATING) },
  { list: '/categories', fields: LOOKUP, send: posted('/categories') },
  { list: '/food-types', fields: LOOKUP, send: posted('/food-types') },
  { list: '/restaurants/1/photos', fields: { original_filename: 255, caption: 255 }, send: uploaded },
];
const TOKENS: WayIn = { list: '/auth/tokens', fields: LOOKUP, send: posted('/auth/tokens') };
const PEOPLE: WayIn = { list: '', fields: { username: 100, full_name: 255 }, send: registered };

function uploaded(
  api: Client,
  { original_filename = '', caption = '' }: Readonly<Record<string, string>>,
): Promise<Answer> {
  // A header holds no control characters.
  const filename = original_filename.replace(/["\\]/g, '\\$&').replace(/\p{Cc}/gu, ' ');
  return sendForm(api, form({ ...photoPart(), filename }, { name: 'caption', content: caption }));
}

function registered(
  api: Client,
  { username = '', full_name = '' }: Readonly<Record<string, string>>,
): Promise<Answer> {
  return api.post('/auth/register', {
    email: `person${parseInt(username)}@example.com`,
    // A slash parts the attributes of a tag like a blank does. Characters beyond ASCII are refused, in part.
    username: username.replace(/\s+/g, '/').replace(/[^!-~]+/g, ''),
    full_name,
    password: 'a long secret word',
  });
}

/** A text as it comes back: a name loses the invisible characters that some of the plain texts hold. */
function storedAs(field: string, text: string): string {
  return field === 'name' ? text.replace(/[\u202e\u2066\ufeff]/g, '') : text;
}

let sent = 0;

/** Sends each text through all fields of a way in, with a number before it that keeps it different from all others. */
async function sendAll(
  api: Client,
  { fields, send }: Pick<WayIn, 'fields' | 'send'>,
  texts: readonly string[],
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const text of texts) {
    sent += 1;
    const numbered = `${sent} ${text}`;
    const cut = (most: number): string => Array.from(numbered).slice(0, most).join('').trim();
    const values = Object.entries(fields).map(([name, most]): [string, string] => [name, cut(most)]);
    answers.push(await send(api, Object.fromEntries(values)));
  }
  return answers;
}

/** Other texts for each way in, so that each goes through one of them at least. */
function textsFor(way: WayIn): readonly string[] {
  const from = WAYS_IN.indexOf(way) * MOST_REQUESTS;
  return Array.from({ length: MOST_REQUESTS }, (_, at) => TEXTS[(from + at) % TEXTS.length] ?? '');
}

/** Every text in a JSON value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return typeof value === 'object' && value !== null ? textsIn(Object.values(value)) : [];
}

function refusals(answers: readonly Answer[]): unknown[] {
  return answers.filter(({ status }) => status !== 201).map(({ body }) => body);
}

describe('markup that was sent in', { skip: NO_BROWSER }, () => {
  // Unlike the page of the documentation these let scripts run as they like.
  const show = async (texts: Iterable<string>): Promise<Shown> =>
    showAsHtml(await (await openContext()).newPage(), [...texts]);

  test('is live where a page shows it as it was typed, so that this browser would tell', async () => {
    const { wrong, hit, requests } = await show(TEXTS);
    assert.equal(hit, true);
    assert.ok(wrong.length > 0.75 * TEXTS.length, `${wrong.length} of ${TEXTS.length}`);
    assert.ok(requests.length > 0);
  });

  for (const way of WAYS_IN)
    test(`is text where a page shows what is read from ${way.list}`, async (t) => {
      const { api } = await startWithRestaurant(t);
      const answers = await sendAll(api, way, textsFor(way));
      assert.deepEqual(refusals(answers), []);
      const stored = array((await api.get(way.list)).body);
      assert.ok(stored.length >= answers.length);
      assert.deepEqual(await show(new Set(textsIn(stored))), SAFE);
    });

  test('is text where a page shows names of people and of their tokens', async (t) => {
    const service = await startService(t, LOCAL);
    const { api } = await signUp(service, 'alice');
    assert.deepEqual(refusals(await sendAll(api, TOKENS, TEXTS.slice(0, MOST_TOKENS))), []);
    const people = await sendAll(service.api, PEOPLE, TEXTS.slice(0, MOST_PEOPLE));
    assert.deepEqual(refusals(people), []);
    const names = people.map(({ body }) => field(body, 'user'));
    const tokens = (await api.get(TOKENS.list)).body;
    assert.deepEqual(await show(textsIn([names, tokens])), SAFE);
  });

  test('is all that is taken away: what is no markup comes back and is shown as it was typed', async (t) => {
    const { api } = await startWithRestaurant(t);
    for (const way of WAYS_IN) {
      const typed: string[] = [];
      const send: Send = (client, values) => {
        typed.push(...Object.entries(values).map(([name, text]) => storedAs(name, text)));
        return way.send(client, values);
      };
      await sendAll(api, { ...way, send }, PLAIN_TEXTS);
      const texts = new Set(textsIn((await api.get(way.list)).body));
      const changed = typed.filter((text) => !texts.has(text));
      assert.deepEqual(changed, [], way.list);
      assert.deepEqual(await show(typed), SAFE);
    }
  });

  test('is refused as a website that would run, and a website with markup keeps its scheme and no markup', async (t) => {
    const { api } = await startWithRestaurant(t);
    for (const website of SCRIPT_ADDRESSES) {
      const { status } = await api.put('/restaurants/1', { website });
      assert.equal(status, 400, website);
    }
    const stored: unknown[] = [];
    for (const text of TEXTS.slice(0, 400)) {
      const { status, body } = await api.put('/restaurants/1', { website: `https://x.example/${text}` });
      assert.ok(status === 200 || status === 400, text);
      if (status === 200) stored.push(field(body, 'website'));
    }
    assert.ok(stored.length > 50, `${stored.length}`);
    for (const website of textsIn(stored)) assert.equal(new URL(website).protocol, 'https:');
    assert.deepEqual(await show(textsIn(stored)), SAFE);
  });
});
