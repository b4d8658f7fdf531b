import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readCsv } from '../../src/transfer/csv.ts';
import { type PlainEntry, readAll } from '../support/source.ts';

describe('a saved list of Google Takeout', () => {
  const url = 'https://www.google.com/maps/place/Chez+Nous/data=!4m2!3m1!1s0x47e66e:0x1';
  test('is recognised by its header, also behind a description', async () => {
    for (const head of ['', 'My favourites\n\n']) {
      const { entries, ignored } = await readAll(
        readCsv,
        `${head}Title,Note,URL,Tags,Comment\nChez Nous,Good,${url},x,Really\n`,
      );
      const [{ line: _where, ...entry } = {}] = entries;
      assert.deepEqual(entry, { name: 'Chez Nous', website: url, note: 'Good\nReally' });
      assert.deepEqual(ignored, [{ name: 'Tags', count: 1, example: 'x' }]);
    }
  });

  const heads: readonly (readonly [head: string, url: string, count: number | string])[] = [
    ['Название,Заметка,URL,Теги,Комментарий', 'https://films.example', 2],
    ['제목,메모,URL', 'https://www.google.com/search?q=film', 2],
    ['标题,备注,网址,标签,评论', 'https://films.example', 2],
    ['Film list\n\nНазвание,Заметка,URL', 'https://films.example', 2],
    ['Название,Заметка,URL', '', 'no_header'],
    ['Название,Адрес,Сайт', 'https://a.example', 'no_header'],
    ['Название,Заметка', 'https://films.example', 'no_header'],
    ['name,Заметка,URL', 'https://a.example', 0],
  ];
  for (const [head, link, count] of heads)
    test(`without a place, and ${head}, has ${count}`, async () => {
      const note = count === 'no_header' ? 'Ufer 1' : '';
      const read = readAll(readCsv, `${head}\nA,${note},${link}\nB,${note},${link}\n`);
      if (typeof count === 'number') assert.equal((await read).not_places, count);
      else await assert.rejects(read, { code: count });
    });

  const places: readonly [string, number | undefined, number | undefined][] = [
    ['https://maps.google.com/?q=48.5,2.25', 48.5, 2.25],
    ['https://www.google.com/maps/search/48.5,+-2.25', 48.5, -2.25],
    ['https://www.google.com/maps/place/X/@48.5,2.25,17z', 48.5, 2.25],
    ['https://www.google.com/maps/place/X/@1,1,17z/data=!3d48.5!4d2.25', 48.5, 2.25],
    ['https://maps.google.com/?cid=1234567890', undefined, undefined],
    ['https://maps.google.com/?q=0,0', undefined, undefined],
    ['https://maps.google.com/?q=99,2', undefined, undefined],
  ];
  for (const [address, latitude, longitude] of places)
    test(`has ${latitude === undefined ? 'no place' : 'its place'} from ${address}`, async () => {
      const [entry] = (await readAll(readCsv, `Title,Note,URL\nA,,"${address}"\n`)).entries;
      assert.deepEqual(
        [entry?.['latitude'], entry?.['longitude'], entry?.['website']],
        [latitude, longitude, address],
      );
    });

  const read = async (row: string): Promise<PlainEntry | undefined> =>
    (await readAll(readCsv, `Title,Note,URL\nFirst,,\n${row}\n`)).entries[1];

  const named: readonly [string, string, string][] = [
    ['https://www.google.com/maps/place/Chez+Nous/@48.5,2.25,17z/data=!3m1', 'Chez Nous', 'with blanks'],
    ['https://www.google.com/maps/place/Caf%C3%A9+%26+Bar/data=!4m2', 'Café & Bar', 'with escapes'],
    ['https://www.google.com/maps/place/100%+Pizza/', '100% Pizza', 'with a percent sign that is no escape'],
    ['https://www.google.com/maps/place/1900', '1900', 'that is a number'],
  ];
  for (const [url, name, what] of named)
    test(`has a name from its link where it has no title, ${what}`, async () => {
      assert.equal((await read(`,note,"${url}"`))?.['name'], name);
    });

  const nameless: readonly [string, string][] = [
    ['https://maps.google.com/?q=48.85,2.32', ' at 48.85,2.32 (https://maps.google.com/?q=48.85,2.32)'],
    ['https://maps.google.com/?cid=1', ' (https://maps.google.com/?cid=1)'],
    [
      "https://www.google.com/maps/place/48%C2%B051'24.0%22N+2%C2%B021'07.0%22E/",
      " at 48.85666666666667,2.3519444444444444 (https://www.google.com/maps/place/48%C2%B051'24.0%22N+2%C2%B021'07.0%22E/)",
    ],
    [
      'https://www.google.com/maps/place/48.85,2.32/',
      ' at 48.85,2.32 (https://www.google.com/maps/place/48.85,2.32/)',
    ],
    ['', ''],
  ];
  for (const [url, where] of nameless)
    test(`is refused without a name, with all that is known: "${where.trim()}"`, async () => {
      assert.deepEqual(await read(`,note,"${url}"`), { line: 3, fault: `a place without a name${where}` });
    });
});
