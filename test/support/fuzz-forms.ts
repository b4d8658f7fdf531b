import fc from 'fast-check';
import { texts } from './fuzz-values.ts';
import { SAMPLE_NAMES, sample } from './images.ts';
import { filePart, textParts } from './imports.ts';
import { type Part, photoPart } from './photos.ts';

type Cases = readonly (readonly [rule: string, parts: readonly Part[]])[];

/** The forms of an operation: good ones, some that break a rule, and some that are odd and good. */
export interface Forms {
  readonly good: fc.Arbitrary<readonly Part[]>;
  readonly whole: Part;
  readonly bad: Cases;
  readonly odd: Cases;
}

const caption = (content: string | Buffer): Part => ({ name: 'caption', content });
const photo = photoPart();
const file = filePart('name,city\nChez Nous,Lyon\n');

function photos(): fc.Arbitrary<readonly Part[]> {
  const part = fc.constantFrom(...SAMPLE_NAMES).map((name) => photoPart(sample(name)));
  const filename = fc.constantFrom('menu.jpg', 'a b.png', '../../x.webp', 'Menü 漢.jpg');
  const about = texts(0, 255).map(caption);
  return fc
    .tuple(part, filename, fc.option(about))
    .map(([one, name, more]) => [{ ...one, filename: name }, ...(more ? [more] : [])]);
}

function files(): fc.Arbitrary<readonly Part[]> {
  const csv = fc.array(texts(1, 40), { maxLength: 5 }).map((names) => ['name', ...names].join('\n'));
  const others: readonly string[] = [
    '{"name":"Le Coin"}\n{',
    '[]',
    '\0',
    'title,url\nA,',
    'name;price\nA;€€',
  ];
  const dry = fc.constantFrom('true', 'false', '');
  return fc
    .tuple(fc.oneof(csv, fc.constantFrom(...others)), fc.constantFrom('csv', 'ndjson', 'geojson'), dry)
    .map(([text, format, dry_run]) => [filePart(text, 'x'), ...textParts({ format, dry_run })]);
}

/** By operationId. */
export const FORMS: Readonly<Record<string, Forms>> = {
  uploadPhoto: {
    good: photos(),
    whole: photo,
    bad: [
      ['no photo', [caption('Menu')]],
      ['a photo that is text', [{ name: 'photo', content: 'text' }]],
      ['a photo that is no image', [photoPart(Buffer.from('GIF89a and no more than that'))]],
      ['a photo without a byte', [photoPart(Buffer.alloc(0))]],
      ['half a photo', [photoPart(sample('png').subarray(0, 40))]],
      ['two photos', [photo, photo]],
      ['a photo by another name', [{ ...photo, name: 'image' }]],
      ['too long a caption', [photo, caption('ü'.repeat(256))]],
      ['two captions', [photo, caption('a'), caption('b')]],
      ['a caption that is no text', [photo, caption(Buffer.from([0xff, 0xfe]))]],
    ],
    odd: [
      ['a caption that is all blank', [photo, caption(' \t ')]],
      ['control characters', [photo, caption('a\u0000b\u0007')]],
    ],
  },
  importFile: {
    good: files(),
    whole: file,
    bad: [
      ['no file', textParts({ format: 'csv' })],
      ['a file that is text', [{ name: 'file', content: 'name\nA\n' }]],
      ['a file without a byte', [filePart('')]],
      ['two files', [file, file]],
      ['a file by another name', [{ ...file, name: 'data' }]],
      ['an unknown ending', [filePart('name\nA\n', 'places.xls')]],
      ['an unknown format', [file, ...textParts({ format: 'xls' })]],
      ['two formats', [file, ...textParts({ format: 'csv' }), ...textParts({ format: 'csv' })]],
      ['an unknown encoding', [file, ...textParts({ encoding: 'ebcdic' })]],
      ['neither true nor false', [file, ...textParts({ dry_run: 'yes' })]],
    ],
    odd: [['empty fields', [file, ...textParts({ format: '', encoding: '', dry_run: '' })]]],
  },
};

/** The forms of an operation. Throws for one that has none. */
export function formsOf(operationId: string): Forms {
  const forms = FORMS[operationId];
  if (!forms) throw new Error(`there are no forms for ${operationId}`);
  return forms;
}
