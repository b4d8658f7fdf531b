import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refusal } from '../support/changes.ts';
import { runCommand } from '../support/cli.ts';
import { field } from '../support/client.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';

const PASSWORD = 'correct horse battery';
const FAULT = 'username holds invisible or look-alike characters';

const body = (username: string, email = 'new@example.com'): object => ({
  email,
  username,
  password: PASSWORD,
});

const REFUSED: readonly [string, string][] = [
  ['a control character', 'ali\u0000ce'],
  ['a tab', 'ali\tce'],
  ['a line break at its end', 'alice\n'],
  ['a soft hyphen', 'ali\u00adce'],
  ['a zero-width space', 'ali\u200bce'],
  ['a joiner', 'ali\u200dce'],
  ['a mark of direction', 'ali\u200ece'],
  ['an override of the direction', 'ali\u202ece'],
  ['a byte order mark', '\ufeffalice'],
  ['a Hangul filler', 'ali\u3164ce'],
  ['a grapheme joiner', 'ali\u034fce'],
  ['a variation selector behind a letter', 'alice\ufe0f'],
  ['a tag character', 'alice\u{e0061}'],
  ['a private-use character', 'alice\ue000'],
  ['a character that is not assigned', 'alice\u0378'],
  ['a no-break space', 'ali\u00a0ce'],
  ['an ideographic space', '\u3000alice'],
  ['a Braille cell without dots', 'ali\u2800ce'],
  ['two blanks in a row', 'ali  ce'],
  ['two blanks around markup', 'ali <b></b> ce'],
  ['a Cyrillic letter among Latin ones', 'аlice'],
  ['a Greek letter among Latin ones', 'αlice'],
  ['a Cherokee letter among Latin ones', 'Ꭺlice'],
  ['Hangul among Kana', 'すし한'],
  ['Latin and a script that is no longer written', 'a𐌰'],
];

const ACCEPTED: readonly string[] = [
  ...['Anne-Marie O’Hara 3rd', 'josé', 'Ёжик', 'Ελένη', 'שרה', 'مريم١٢', 'प्रिया', 'สมชาย', 'አበበ', 'მარიამ'],
  ...['山田 Taro タロウ', '김철수 Kim', '王ㄨㄤ Wang', '❤️ food', '🍕🍕', '42', '<i>Bob</i> & co', '𝐛old'],
];

describe('a username', () => {
  test('with characters that make it look like another one is refused', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const [title, username] of REFUSED) {
      const answer = await api.post('/auth/register', body(username));
      assert.deepEqual(refusal(answer), [400, FAULT], title);
    }
  });

  test('is refused together with the other faults of the body, and once', async (t) => {
    const { api } = await startService(t, LOCAL);
    const answer = await api.post('/auth/register', { email: 'x', username: '\u200b', password: 'short' });
    const faults = ['email must be a valid email address', FAULT, 'password must be at least 8 characters'];
    assert.deepEqual(answer.body, { error: faults.join('; ') });
  });

  test('of any script, or of those that are written together, is accepted', async (t) => {
    const service = await startService(t, LOCAL);
    for (const [index, username] of ACCEPTED.entries()) {
      const answer = await service.api.post('/auth/register', body(username, `${index}@example.com`));
      assert.equal(answer.status, 201, username);
      const clean = username.replace(/<[^>]*>/g, '');
      assert.equal(field(field(answer.body, 'user'), 'username'), clean);
    }
  });

  const TWINS: readonly [string, string][] = [
    ['paypal', 'paypaI'],
    ['paypal', 'paypa1'],
    ['scope', 'ѕсоре'],
    ['scope', 'ЅСОРЕ'],
    ['SCOPE', 'ѕсоре'],
    ['modern', 'modem'],
    ['Iris', 'lris'],
    ['josé', 'jose\u0301'],
    ['❤️ food', '❤ food'],
    ['bold', '𝐛old'],
    ['O’Hara', "O'Hara"],
    ['ТЕСТ', 'TECT'],
  ];
  for (const [first, second] of TWINS)
    test(`that looks like another one is taken: ${second} with ${first}`, async (t) => {
      const { api } = await startService(t, LOCAL);
      await api.post('/auth/register', body(first, 'first@example.com'));
      const answer = await api.post('/auth/register', body(second));
      assert.deepEqual(refusal(answer), [409, 'User already exists: username is taken']);
    });

  test('that looks different is free', async (t) => {
    const { api } = await startService(t, LOCAL);
    const names = ['alice', 'alicia', 'alices', 'al-ice', 'al ice', 'Алиса', 'malice'];
    for (const [index, username] of names.entries()) {
      const answer = await api.post('/auth/register', body(username, `${index}@example.com`));
      assert.equal(answer.status, 201, username);
    }
  });

  test('of the command line is held to the same rules', async (t) => {
    const service = await startService(t, LOCAL);
    await signUp(service, 'paypal');
    const create = (...args: readonly string[]): ReturnType<typeof runCommand> =>
      runCommand(['user', 'create', ...args], {
        variables: { ...LOCAL, DATA_DIR: service.folder },
        input: PASSWORD,
      });
    assert.deepEqual(
      [
        await create('a@example.com', '--username', 'a\u200bb'),
        await create('аb@example.com'),
        await create('a@example.com', '--username', 'paypaI'),
        await create('paypaI@example.com'),
      ].map(({ code, out, err }) => [code, out + err]),
      [
        [1, `${FAULT}\n`],
        [1, `${FAULT}\n`],
        [1, 'there is a user with the username paypaI already\n'],
        [0, 'Created user paypaI@example.com (paypaI-2, id 3).\n'],
      ],
    );
  });

  test('that is derived from ADMIN_EMAIL is held to them too', async (t) => {
    const administrator = { ...LOCAL, ADMIN_EMAIL: 'аdmin@example.com', ADMIN_PASSWORD: PASSWORD };
    await assert.rejects(startService(t, administrator), {
      message: `ADMIN_EMAIL and ADMIN_PASSWORD: ${FAULT}`,
    });
  });
});
