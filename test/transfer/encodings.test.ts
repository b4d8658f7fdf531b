import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { describe, test } from 'node:test';
import { type Detected, detectEncoding, encodingNamed, inUtf8 } from '../../src/transfer/encoding.ts';
import { encode } from '../support/encode.ts';
import { inPieces } from '../support/source.ts';

const BAD = Buffer.from([0xff, 0x0a]);
const SIZES = [1, 3, 1_000];

async function detect(bytes: Uint8Array, size = 1_000): Promise<Detected> {
  return await detectEncoding(inPieces(bytes, size));
}

async function converted(bytes: Uint8Array, encoding: string, size = bytes.length): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(inUtf8(inPieces(bytes, size), encoding)));
}

// Names in thirteen scripts and alphabets, with the encodings that have them.
const NAMES: readonly (readonly [encodings: string, names: readonly string[]])[] = [
  [
    'windows-1252 macintosh',
    ['Café Bär', 'Crêperie des Ambassadeurs', 'Señor Peña', 'Zum Löwen', 'São João'],
  ],
  ['windows-1250 iso-8859-2', ['Pod Złotym Żurawiem', 'Łosoś i Śledź', 'Šťastný Jelen', 'Törökméz Győr']],
  [
    'windows-1251 koi8-r ibm866 x-mac-cyrillic iso-8859-5',
    ['Суповая', 'Пельменная на Речной', 'Теремок', 'Чайхана'],
  ],
  ['windows-1253', ['Ταβέρνα ο Νίκος', 'Εστιατόριο Λιμάνι', 'Το Καφενείο']],
  ['windows-1254', ['Kebapçı Şükrü', 'Çiğ Köfte Evi', 'Lokanta Yıldız']],
  ['windows-1255', ['מסעדת הים', 'קפה נחמה', 'בית תה']],
  ['windows-1256', ['مطعم البحر', 'مقهى الورد', 'كباب الشام']],
  ['windows-1257', ['Kafejnīca Lāčplēsis', 'Šašlykinė Ąžuolas', 'Žalgirio užeiga']],
  ['windows-874', ['ร้านอาหารทะเล', 'ครัวคุณแม่', 'ข้าวมันไก่']],
  ['shift_jis euc-jp', ['すずめ食堂', 'ラーメン二郎', '焼肉トラジ', '寿司大']],
  ['gb18030', ['老北京炸酱面', '海底火锅', '小南国', '兰州拉面']],
  ['big5', ['鼎泰豐', '永康牛肉麵', '阿宗麵線']],
  ['euc-kr', ['서울식당', '할머니 순두부', '광장시장 빈대떡']],
];
const CASES = NAMES.flatMap(([encodings, names]) =>
  encodings.split(' ').flatMap((encoding) => names.map((name) => [encoding, name] as const)),
);

describe('the encoding of a file', () => {
  for (const encoding of ['utf-8', 'utf-16le', 'utf-16be'])
    for (const mark of ['', '\ufeff'])
      test(`is ${encoding} ${mark ? 'with' : 'without'} a mark, for names in every script`, async () => {
        for (const [, name] of CASES) {
          const text = `${mark}name,address\n${name},Ufer 1\n`;
          const bytes = encode(text, encoding);
          for (const size of SIZES) {
            const found = await detect(bytes, size);
            assert.deepEqual(
              [found.encoding, found.isCertain],
              [encoding, true],
              `${name}, pieces of ${size}`,
            );
            const read = await converted(bytes, found.encoding, size);
            assert.equal(read.toString().replace(/^\ufeff/, ''), text.slice(mark.length));
          }
        }
      });

  test('is a guess for a code page, with the right one among the choices', async () => {
    let first = 0;
    for (const [encoding, name] of CASES) {
      const bytes = encode(`name;address\n${name};Ufer 1\nKupferkessel;Ufer 2\n`, encoding);
      const found = await detect(bytes);
      assert.equal(found.isCertain, false, `${name} in ${encoding}`);
      const reads = async (one: string): Promise<boolean> =>
        (await converted(found.sample, one)).toString().includes(name);
      const choices = [found.encoding, ...found.others];
      const right = await Promise.all(choices.map(reads));
      assert.ok(right.includes(true), `${name} in ${encoding}: ${choices.join(', ')}`);
      if (right[0] === true) first += 1;
    }
    // The last letters of some names are other ones of the same language family.
    assert.ok(first >= CASES.length * 0.85, `${first} of ${CASES.length}`);
  });

  test('may always be UTF-8 where all its bytes are, and mostly is', async () => {
    for (const name of ['ʻOhana', 'Fuʻa', 'Ș Ț', 'Հայ', 'μ', '٥', 'ƏƏ', 'ș', 'Օ Տ']) {
      const { encoding, others } = await detect(Buffer.from(`name,address\n${name},Ufer 1\n`));
      assert.equal(name === 'ʻOhana' ? others[0] : encoding, 'utf-8', name);
    }
  });

  test('is clear from a few names together', async () => {
    for (const [encodings, names] of NAMES)
      for (const encoding of encodings.split(' ')) {
        const { encoding: found, sample } = await detect(encode(`name\n${names.join('\n')}\n`, encoding));
        const text = (await converted(sample, found)).toString().trim();
        assert.equal(text, ['name', ...names].join('\n'), encoding);
      }
  });

  const certain: readonly [string, Uint8Array, string][] = [
    ['ASCII', Buffer.from('name\nA\n'), 'utf-8'],
    ['nothing', Buffer.alloc(0), 'utf-8'],
    ['UTF-8 with one bad byte', Buffer.concat([Buffer.from('name\nCafé Bär\nKupferkessel '), BAD]), 'utf-8'],
    [
      'UTF-8 with a row of another program',
      Buffer.concat([Buffer.from('name\nCafé Bär,Öhringer Ufer\n'), encode('Crêperie', 'windows-1252')]),
      'utf-8',
    ],
    [
      'a declaration',
      encode('<?xml version="1.0" encoding="windows-1251"?><kml>Суповая</kml>', 'windows-1251'),
      'windows-1251',
    ],
    [
      'a declaration in single quotes',
      encode("<?xml encoding='Shift_JIS'?><kml>寿司</kml>", 'shift_jis'),
      'shift_jis',
    ],
    ['a declaration that the file belies', Buffer.from('<?xml encoding="utf-16"?><kml>寿司</kml>'), 'utf-8'],
  ];
  for (const [title, bytes, encoding] of certain)
    test(`is certain for ${title}`, async () => {
      for (const size of SIZES) {
        const found = await detect(bytes, size);
        assert.deepEqual([found.encoding, found.isCertain], [encoding, true]);
      }
    });

  test('may show only behind megabytes of ASCII', async () => {
    const bytes = Buffer.concat([
      Buffer.from('name\n'),
      Buffer.alloc(3_000_000, 'a\n'),
      encode('Суповая\n', 'windows-1251'),
    ]);
    const found = await detect(bytes, 65_536);
    assert.deepEqual(
      [found.encoding, found.isCertain, found.sample.length < 100],
      ['windows-1251', false, true],
    );
  });

  test('is UTF-8 for one long line, wherever its first part ends', async () => {
    for (const before of ['', 'x', 'xx', 'x'.repeat(70_000)]) {
      const found = await detect(Buffer.from(`["${before}${'寿司🍕'.repeat(30_000)}"]`), 65_536);
      assert.deepEqual([found.encoding, found.isCertain], ['utf-8', true]);
      assert.ok(found.sample.length < 300_000);
    }
  });

  test('is not decided by a few zeros', async () => {
    assert.equal((await detect(Buffer.from('name\nA\0Bc\0D\n'))).encoding, 'utf-8');
    assert.equal((await detect(Buffer.from(`name\nCaf\0é\n${'x'.repeat(1_000)}`))).encoding, 'utf-8');
  });

  test('has the labels of the web', () => {
    const labels = ['CP1251', ' latin1', 'Shift_JIS', 'gbk', 'UTF8', 'utf-7', 'cp437', ''];
    const names = [
      'windows-1251',
      'windows-1252',
      'shift_jis',
      'gbk',
      'utf-8',
      undefined,
      undefined,
      undefined,
    ];
    assert.deepEqual(labels.map(encodingNamed), names);
  });
});

describe('a file in another encoding', () => {
  test('is converted wherever it is split', async () => {
    for (const [encoding, name] of CASES)
      for (const size of [1, 2, 5])
        assert.equal((await converted(encode(name, encoding), encoding, size)).toString(), name);
  });

  test('has all characters of windows-1252', async () => {
    assert.equal((await converted(Uint8Array.of(0x80, 0x93, 0x9c, 0xe9), 'windows-1252')).toString(), '€“œé');
  });

  const broken: readonly [string, Buffer][] = [
    ['utf-8', Buffer.from([0x42, 0xff, 0x0a])],
    ['utf-16le', Buffer.from([0x42, 0, 0x3c, 0xd8, 0x0a, 0])],
    ['utf-16be', Buffer.from([0, 0x42, 0xdf, 0x55, 0, 0x0a])],
    ['utf-16le', Buffer.from([0x42, 0, 0x0a])],
    ['shift_jis', Buffer.from([0x42, 0xfd, 0x0a])],
    ['euc-kr', Buffer.from([0x42, 0xff, 0x0a])],
  ];
  for (const [encoding, bytes] of broken)
    test(`shows bytes that are no character: ${bytes.toString('hex')} in ${encoding}`, async () => {
      for (const size of [1, 2, 100]) {
        const read = await converted(bytes, encoding, size);
        assert.equal(isUtf8(read), false);
        assert.equal(read.at(0), 0x42);
      }
    });
});
