import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Passwords } from '../../../src/people/accounts/passwords.ts';
import { startWithAlice } from '../../support/accounts.ts';
import { refusal } from '../../support/changes.ts';
import { field, textOf } from '../../support/client.ts';
import { LOCAL, changeStored, readStored, signUp } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { federateWithFake } from '../../support/sign-in.ts';
import { longTest } from '../../support/size.ts';

const ALICE = {
  email: 'alice@example.com',
  username: 'alice',
  password: 'correct horse battery',
  full_name: 'Alice',
};

describe('POST /auth/register', () => {
  test('makes an account, signs it in and answers tokens and user', async (t) => {
    const { api } = await startService(t, LOCAL);
    const ignored = { is_admin: true, id: 7, provider: 'x' };
    const { status, headers, body } = await api.post('/auth/register', { ...ALICE, ...ignored });
    assert.equal(status, 201);
    assert.equal(headers.get('location'), '/api/auth/me');
    assert.equal(headers.get('cache-control'), 'private, no-store');
    assert.match(textOf(body, 'access_token'), /^[\w-]+\.[\w-]+\.[\w-]+$/);
    assert.match(textOf(body, 'refresh_token'), /^[\w-]{43}$/);
    assert.deepEqual([field(body, 'token_type'), field(body, 'expires_in')], ['Bearer', 900]);
    const user = field(body, 'user');
    assert.match(textOf(user, 'last_login_at'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(user, {
      id: 2,
      email: 'alice@example.com',
      username: 'alice',
      provider: 'local',
      provider_id: null,
      full_name: 'Alice',
      avatar_url: null,
      is_active: true,
      is_admin: false,
      email_verified: false,
      last_login_at: field(user, 'last_login_at'),
      created_at: field(user, 'created_at'),
      updated_at: field(user, 'created_at'),
    });
  });

  test('trims and sanitises the names, and leaves the password as it came', async (t) => {
    const { api } = await startService(t, LOCAL);
    const password = '  <b>päss\tword</b>  ';
    const answer = await api.post('/auth/register', {
      email: ' Alice@Example.com ',
      username: ' <i>Alice</i> & co ',
      full_name: '<script>x</script>',
      password,
    });
    const user = field(answer.body, 'user');
    assert.deepEqual(
      [field(user, 'email'), field(user, 'username'), field(user, 'full_name')],
      ['Alice@Example.com', 'Alice & co', null],
    );
    for (const [tried, status] of [
      [password, 200],
      [password.trim(), 401],
      ['päss\tword', 401],
    ] as const) {
      const login = await api.post('/auth/login', { email: ALICE.email, password: tried });
      assert.equal(login.status, status, tried);
    }
  });

  longTest(
    'stores the password as an Argon2id hash with the parameters of OWASP, and nothing of the tokens',
    async (t) => {
      const { service } = await startWithAlice(t, {}, { passwords: new Passwords() });
      const [row] = readStored(service.folder, 'SELECT password_hash FROM users');
      assert.match(textOf(row, 'password_hash'), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[^$]{22}\$[^$]{43}$/);
      const [token] = readStored(service.folder, 'SELECT hex(token_hash) AS hash FROM refresh_tokens');
      assert.match(textOf(token, 'hash'), /^[0-9A-F]{64}$/);
    },
  );

  const refusals: readonly [object, string][] = [
    [{}, 'email is required; username is required; password is required'],
    [{ ...ALICE, email: 'alice' }, 'email must be a valid email address'],
    [{ ...ALICE, email: '  ' }, 'email is required'],
    [{ ...ALICE, email: 'a@b' }, 'email must be a valid email address'],
    [{ ...ALICE, email: '@example.com' }, 'email must be a valid email address'],
    [{ ...ALICE, email: 'a b@example.com' }, 'email must be a valid email address'],
    [{ ...ALICE, email: 'a..b@example.com' }, 'email must be a valid email address'],
    [{ ...ALICE, email: 'a@-example.com' }, 'email must be a valid email address'],
    [{ ...ALICE, email: '<b>a</b>@example.com' }, 'email must be a valid email address'],
    [{ ...ALICE, email: 'a@example.com\u0000' }, 'email must be a valid email address'],
    [{ ...ALICE, email: `${'a'.repeat(65)}@example.com` }, 'email must be a valid email address'],
    [{ ...ALICE, email: `a@${'b.'.repeat(130)}com` }, 'email must be at most 255 characters'],
    [{ ...ALICE, email: 5 }, 'email must be a string'],
    [{ ...ALICE, username: '<b></b>' }, 'username is required'],
    [{ ...ALICE, username: 'a'.repeat(101) }, 'username must be at most 100 characters'],
    [{ ...ALICE, full_name: 'a'.repeat(256) }, 'full_name must be at most 255 characters'],
    [{ ...ALICE, password: null }, 'password is required'],
    [{ ...ALICE, password: 12345678 }, 'password must be a string'],
    [{ ...ALICE, password: 'seven77' }, 'password must be at least 8 characters'],
    [{ ...ALICE, password: '🍕'.repeat(7) }, 'password must be at least 8 characters'],
    [{ ...ALICE, password: 'a'.repeat(257) }, 'password must be at most 256 characters'],
    [{ ...ALICE, password: '\ud83c no Unicode' }, 'password is not valid Unicode'],
    [{ ...ALICE, password: 'password' }, 'password is too common'],
    [{ ...ALICE, password: 'PassWord123' }, 'password is too common'],
    [{ ...ALICE, password: 'qwertyuiop', username: '' }, 'username is required; password is too common'],
  ];
  test('refuses what is no account, and names all of its faults', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const [body, error] of refusals)
      assert.deepEqual(
        refusal(await api.post('/auth/register', body)),
        [400, error],
        JSON.stringify(body).slice(0, 90),
      );
  });

  const accepted: readonly Readonly<Record<string, string>>[] = [
    { email: `${'a'.repeat(64)}@${'b'.repeat(63)}.example.com` },
    { email: "o'hara+menu_1@mail.example.co.uk" },
    { email: 'josé@bücher.example' },
    { email: 'root@localhost' },
    { password: '🍕'.repeat(8) },
    { password: '🍕'.repeat(256) },
    { username: '寿司'.repeat(50) },
  ];
  test('takes whatever is within the limits', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const [index, more] of accepted.entries()) {
      const body = { ...ALICE, email: `${index}@example.com`, username: `alice ${index}`, ...more };
      const title = JSON.stringify(more).slice(0, 60);
      assert.equal((await api.post('/auth/register', body)).status, 201, title);
      assert.equal((await api.post('/auth/login', body)).status, 200, title);
    }
  });

  const twins: readonly [object, string][] = [
    [{ username: 'other' }, 'User already exists: email is taken'],
    [{ username: 'other', email: 'ALICE@example.COM' }, 'User already exists: email is taken'],
    [{ email: 'other@example.com' }, 'User already exists: username is taken'],
    [{ email: 'other@example.com', username: 'ＡＬＩＣＥ' }, 'User already exists: username is taken'],
    [{}, 'User already exists: email and username are taken'],
  ];
  test('answers 409 to a twin of an account', async (t) => {
    const { api } = await startService(t, LOCAL);
    await api.post('/auth/register', ALICE);
    for (const [change, error] of twins)
      assert.deepEqual(refusal(await api.post('/auth/register', { ...ALICE, ...change })), [409, error]);
  });

  test('makes one account of many requests at once', async (t) => {
    const { api, folder } = await startService(t, LOCAL);
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.post('/auth/register', ALICE)));
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, 1);
    // A busy machine turns some away with 503 before their passwords are hashed.
    assert.ok(
      statuses.every((status) => [201, 409, 503].includes(status)),
      statuses.join(),
    );
    assert.equal(readStored(folder, 'SELECT id FROM users').length, 1);
  });
});

const BLANK = 'password must not be blank';
const OWN = 'password must not be your email or username';
const SHORT = 'password must be at least 8 characters';
const RABBIT = { email: 'alice.liddell@example.com', username: 'White Rabbit' };

const FAULTS: readonly [string, string][] = [
  ['        ', BLANK],
  ['   ', `${SHORT}; ${BLANK}`],
  ['\t\u00a0\u3000 \u2028\u200b\ufeff\u00ad', BLANK],
  ['\u3164'.repeat(8), BLANK],
  ['\u2800'.repeat(8), BLANK],
  ['alice.liddell@example.com', OWN],
  ['ALICE.LIDDELL@EXAMPLE.COM', OWN],
  ['alice.liddell', OWN],
  ['Alice.Liddell', OWN],
  ['white rabbit', OWN],
  ['ｗｈｉｔｅ ｒａｂｂｉｔ', OWN],
];
const ACCEPTED = ['alice.liddell1', 'alice.liddell@', ' white rabbit', 'example.com', '  x      '];

describe('a new password', () => {
  test('that is blank or a name of its owner is refused', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const [password, error] of FAULTS) {
      const answer = await api.post('/auth/register', { ...RABBIT, password });
      assert.deepEqual(refusal(answer), [400, error], JSON.stringify(password));
    }
  });

  test('is refused for all of its faults, and those of the other fields, at once', async (t) => {
    const { api } = await startService(t, LOCAL);
    const short = { email: 'bob@example.com', username: 'x', password: 'BOB' };
    assert.deepEqual(refusal(await api.post('/auth/register', short)), [400, `${SHORT}; ${OWN}`]);
    const common = { email: 'x', username: 'password1', password: 'password1' };
    assert.deepEqual(refusal(await api.post('/auth/register', common)), [
      400,
      `email must be a valid email address; ${OWN}; password is too common`,
    ]);
  });

  test('that only holds a name, or blanks among others, is accepted as it came', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const [index, password] of ACCEPTED.entries()) {
      const owner = { ...RABBIT, email: `alice.liddell@${index}.example`, username: `White Rabbit ${index}` };
      assert.equal((await api.post('/auth/register', { ...owner, password })).status, 201, password);
      assert.equal((await api.post('/auth/login', { ...owner, password })).status, 200, password);
    }
  });
});

const PASSWORD = 'correct horse battery';
const LOOK_ALIKE = 'username holds invisible or look-alike characters';

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

const ACCEPTED_NAMES: readonly string[] = [
  'Anne-Marie O’Hara 3rd',
  'josé',
  'Ёжик',
  'Ελένη',
  'שרה',
  'مريم١٢',
  'प्रिया',
  'สมชาย',
  'አበበ',
  'მარიამ',
  '山田 Taro タロウ',
  '김철수 Kim',
  '王ㄨㄤ Wang',
  '❤️ food',
  '🍕🍕',
  '42',
  '<i>Bob</i> & co',
  '𝐛old',
];

describe('a username', () => {
  test('with characters that make it look like another one is refused', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const [title, username] of REFUSED) {
      const answer = await api.post('/auth/register', body(username));
      assert.deepEqual(refusal(answer), [400, LOOK_ALIKE], title);
    }
  });

  test('is refused together with the other faults of the body, and once', async (t) => {
    const { api } = await startService(t, LOCAL);
    const answer = await api.post('/auth/register', { email: 'x', username: '\u200b', password: 'short' });
    const faults = [
      'email must be a valid email address',
      LOOK_ALIKE,
      'password must be at least 8 characters',
    ];
    assert.deepEqual(answer.body, { error: faults.join('; ') });
  });

  test('of any script, or of those that are written together, is accepted', async (t) => {
    const service = await startService(t, LOCAL);
    for (const [index, username] of ACCEPTED_NAMES.entries()) {
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
  longTest('that looks like another one is taken', async (t) => {
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
      message: `ADMIN_EMAIL and ADMIN_PASSWORD: ${LOOK_ALIKE}`,
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
