import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parsePlace } from '../../static/app/add/place-text.js';
import { LINKS } from '../support/map-links.ts';
import { TEXTS } from '../support/place-texts.ts';
import { longTest, scaled } from '../support/size.ts';

for (const [form, text, place] of LINKS) {
  test(`A link to a map is read: ${form}`, () => {
    assert.deepEqual(parsePlace(text), { url: text, ...place });
  });
}

for (const [form, text, place] of TEXTS) {
  test(`A text is read: ${form}`, () => {
    const found = parsePlace(text);
    const rounded = (number: unknown): unknown =>
      typeof number === 'number' ? Math.round(number * 1e6) / 1e6 : number;
    assert.deepEqual(
      Object.fromEntries(Object.entries(found).map(([key, value]) => [key, rounded(value)])),
      place,
    );
  });
}

test('Only the name and the address of a shared text become those of the place', () => {
  const [name, street] = ['Kupferkessel', 'Ufer 1, 00000 Neustadt'];
  const greetings = [
    ...[
      'Hi!',
      'Hello everyone,',
      'Hallo zusammen!',
      'Bonjour !',
      'Hola,',
      'Ciao!',
      'Hoi,',
      'Olá!',
      'こんにちは',
      'مرحبا',
    ],
    ...[
      'My favourite place:',
      'Look what I found!',
      'Schau mal:',
      'Regarde :',
      'Mira:',
      'Guarda!',
      'Kijk eens:',
      '',
    ],
    ...[
      'Olha só!',
      '見て！',
      'شاهد',
      'Best pizza in town!',
      'Let’s meet here:',
      '[Map]',
      '#food',
      'Have you been there?',
      'I just ate here',
      '4.6 ★ (120)',
      'Google Maps',
    ],
  ];
  const names = [
    ...[
      name,
      `Look at “${name}”`,
      `Check out ${name} on Google Maps!`,
      `Schau dir ${name} an!`,
      `Regarde «${name}»`,
    ],
    ...[
      `Mira ${name} en Google Maps`,
      `Guarda "${name}"`,
      `Confira ${name}`,
      `Bekijk ${name} op Google Maps`,
    ],
    ...[`${name} - Google Maps`, `${name}\n${name}`, `${name}\nLook at ${name}`],
  ];
  const phones = [
    '+49 000 111222',
    'Tel: +49 000 111222',
    '☎ 0000 111222',
    'Tel. (000) 111-2222',
    '０００－１１１－２２２２',
    '',
  ];
  const links = [
    'https://maps.app.goo.gl/AbC123?g_st=ic',
    'https://enzo.example/?utm_source=x&fbclid=y https://maps.app.goo.gl/AbC123',
    'https://maps.app.goo.gl/AbC123\nhttps://enzo.example/get',
  ];
  const shared = fc.tuple(
    ...[greetings, names, ['', street], phones, links].map((all) => fc.constantFrom(...all)),
    fc.boolean(),
  );
  fc.assert(
    fc.property(shared, ([greeting, named, address, phone, link, isPhoneFirst]) => {
      const middle = isPhoneFirst ? [phone, address] : [address, phone];
      const text = [greeting, named, ...middle, link].filter((part) => part !== '').join('\n');
      const found = parsePlace(text);
      assert.deepEqual([found.name, found.address ?? ''], [name, address], text);
      assert.equal(found.phone !== undefined, phone !== '', text);
      assert.equal(found.url?.startsWith('https://maps.app.goo.gl/AbC123'), true, text);
      assert.doesNotMatch(found.website ?? '', /utm_|fbclid/, text);
    }),
    { numRuns: scaled(2_000), seed: 23 },
  );
});

longTest('No text at all makes the reader throw or say a position that is none', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'https://',
      'geo:',
      'maps.google.com/',
      '?q=',
      '!3d',
      '!4d',
      '/@',
      ',',
      '%',
      '+',
      '(',
      '#map=',
      '°',
      '\n',
      '1.5',
    ),
    fc.constantFrom(...LINKS.map(([, text]) => text)),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const { lat, lng } = parsePlace(parts.join(''));
      assert.equal(lat === undefined, lng === undefined);
      if (lat !== undefined && lng !== undefined) assert.ok(Math.abs(lat) <= 90 && Math.abs(lng) <= 180);
    }),
    { numRuns: scaled(2_000), seed: 20 },
  );
});

test('A text of one character that is four times as long takes some four times as long to read', () => {
  // The processor's time: a busy machine may let this wait.
  const timeOf = (text: string): number => {
    const before = process.cpuUsage();
    parsePlace(text);
    return process.cpuUsage(before).user;
  };
  for (const unit of ['1', '1.', ',', ' ', '(', 'a,', '°', '/', 'geo:', '1 ', '区', '!3d1!4d', '1°1']) {
    const short = timeOf(unit.repeat(10_000));
    const long = timeOf(unit.repeat(40_000));
    // Where time grows by a power it is sixteen times as long, and seconds.
    assert.ok(long < 10 * short + 100_000, `${unit}: ${short} and ${long} microseconds`);
  }
});
