import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readCsv } from '../../src/transfer/csv.ts';
import { readJson, readJsonLines } from '../../src/transfer/json-places.ts';
import { readKml } from '../../src/transfer/kml.ts';
import { Notes } from '../../src/transfer/notes.ts';
import type { Chunks, SourceReader } from '../../src/transfer/source.ts';
import { longTest } from '../support/size.ts';

async function* inTwo(bytes: Uint8Array, at: number): Chunks {
  yield await Promise.resolve(bytes.subarray(0, at));
  yield bytes.subarray(at);
}

async function readInTwo(reader: SourceReader, bytes: Uint8Array, at: number): Promise<unknown[]> {
  const notes = new Notes();
  const seen: unknown[] = [];
  for await (const entry of reader(inTwo(bytes, at), notes, { name: null })) seen.push(entry);
  return [...seen, notes.json()];
}

describe('a file reads the same wherever it is split', () => {
  const files: readonly [string, SourceReader, string][] = [
    [
      'CSV',
      readCsv,
      '\ufeffname;phone;x;food_types\r\n"É ""1""\r\n🍕";+33;;"a,""b, c"""\r\n\r\nB;1;2;3;4\r\rC;"\'=1"\n"D',
    ],
    [
      'a saved list',
      readCsv,
      'My; list\n\nTitle,Note,URL,Tags\nÉ,n,"https://www.google.com/maps/place/É/@1.5,2,17z",t\n,,,\n',
    ],
    [
      'NDJSON',
      readJsonLines,
      '\ufeff{"name":"É🍕","latitude":1}\r\n\n[]\n{"type":"category","name":"C"}\n{"name":',
    ],
    [
      'GeoJSON',
      readJson,
      '\ufeff{"a":[{"features":[1]}],\n"features" : [ {"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},\n"properties":{"name":"É \\"]}"}} ,{"b" 1}, 5\n],"z":{}} ',
    ],
    [
      'KML',
      readKml,
      '\ufeff<?xml version="1.0"?><kml><Folder><name>É</name><Placemark id="a>b"><!-- <name> --><name>A</name>\n<description><![CDATA[x <br> &eacute;]]></description><Point><coordinates>1,2</coordinates></Point><Placemark><name>🍕</name></Placemark></Folder></kml>',
    ],
  ];
  for (const [title, reader, text] of files)
    test(title, async () => {
      const bytes = Buffer.from(text);
      const whole = await readInTwo(reader, bytes, 0);
      assert.ok(whole.length >= 2);
      for (let at = 1; at <= bytes.length; at += 1)
        assert.deepEqual(await readInTwo(reader, bytes, at), whole, `split at byte ${at}`);
    });

  longTest('CSV beyond the part in which its header is looked for', async () => {
    const rows = Array.from({ length: 6_000 }, (_, row) => `É${row};"a;${row}"`);
    const bytes = Buffer.from(`name;phone\n${rows.join('\n')}`);
    const whole = await readInTwo(readCsv, bytes, 0);
    assert.equal(whole.length, rows.length + 1);
    for (const at of [65_535, 65_536, 65_537, 80_001])
      assert.deepEqual(await readInTwo(readCsv, bytes, at), whole, `split at byte ${at}`);
  });
});
