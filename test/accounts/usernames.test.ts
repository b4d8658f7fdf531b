import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refusal } from '../support/changes.ts';
import { field } from '../support/client.ts';
import { LOCAL, changeStored, readStored, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { federateWithFake } from '../support/sign-in.ts';

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
  test('that looks like another one is taken', async (t) => {
    const service = await startService(t, LOCAL);
    for (const [first, second] of TWINS) {
      const { status } = await service.api.post('/auth/register', body(first, 'first@example.com'));
      assert.equal(status, 201, first);
      const answer = await service.api.post('/auth/register', body(second));
      assert.deepEqual(refusal(answer), [409, 'User already exists: username is taken'], second);
      changeStored(service.folder, 'DELETE FROM users');
    }
  });

  test('that looks different is free', async (t) => {
    const { api } = await startService(t, LOCAL);
    const names = ['alice', 'alicia', 'alices', 'al-ice', 'al ice', 'Алиса', 'malice'];
    for (const [index, username] of names.entries()) {
      const answer = await api.post('/auth/register', body(username, `${index}@example.com`));
      assert.equal(answer.status, 201, username);
    }
  });

  test('that is derived from ADMIN_EMAIL is held to them too', async (t) => {
    const administrator = { ...LOCAL, ADMIN_EMAIL: 'аdmin@example.com', ADMIN_PASSWORD: PASSWORD };
    await assert.rejects(startService(t, administrator), {
      message: `ADMIN_EMAIL and ADMIN_PASSWORD: ${FAULT}`,
    });
  });
});

describe('a username that a provider brings', () => {
  const CLEANED: readonly [string, string, string][] = [
    ['loses invisible characters', 'no\u00adra\u200b\u202e', 'nora'],
    ['keeps single blanks of many and of any kind', '\u00a0Nora \t\u2003\u2800 B\u3000', 'Nora B'],
    ['keeps the script of most of its letters', 'Nоra Ввedenskaya', 'Nra edenskaya'],
    ['keeps the letters of another script when they are more', 'Нора N', 'Нора'],
    ['loses markup that invisible characters hid', '<\u200bb>nora<\u200b/b>', 'nora'],
    ['makes place for the email when nothing is left', '\u200b\u3164 \u00a0', 'someone'],
    ['keeps what is written together', '山田 Taro', '山田 Taro'],
  ];
  test('is made to follow the rules', async (t) => {
    const person = { email: 'someone@example.com' };
    const { provider, service, signIn } = await federateWithFake(t, person);
    for (const [title, preferred_username, username] of CLEANED) {
      provider.behave({ idToken: ({ claims, sign }) => sign({ ...claims, preferred_username }) });
      assert.ok('access_token' in (await signIn()));
      const stored = readStored(service.folder, 'SELECT username FROM users');
      assert.deepEqual(stored, [{ username }], `it ${title}`);
      changeStored(service.folder, 'DELETE FROM users');
    }
  });

  test('gets a number when it looks like another one', async (t) => {
    const person = { email: 'someone@example.com', preferred_username: 'paypaI' };
    const { service, signIn } = await federateWithFake(t, person);
    await signUp(service, 'paypal');
    await signUp(service, 'paypa1-2');
    await signIn();
    const stored = readStored(service.folder, 'SELECT username FROM users ORDER BY id');
    assert.deepEqual(
      stored.map((row) => field(row, 'username')),
      ['paypal', 'paypa1-2', 'paypaI-3'],
    );
  });
});
