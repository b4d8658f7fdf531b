import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readKml } from '../../src/transfer/kml.ts';
import { type PlainEntry, faultAt, readAll } from '../support/source.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2">\n';
const NO_KML = 'the file is not KML, or has a document type, which is not read';

const file = (...places: readonly string[]): string =>
  `${HEAD}<Document><name>Trip</name>\n${places.join('\n')}\n</Document></kml>\n`;
const place = (inside: string): string => `<Placemark>${inside}</Placemark>`;
const point = (coordinates: string): string => `<Point><coordinates>${coordinates}</coordinates></Point>`;

/** The entries of a file, read whole and byte by byte, with the titles that its reader said. */
async function read(content: string | Uint8Array): Promise<{ entries: PlainEntry[]; titles: string[] }> {
  const { entries, titles } = await readAll(readKml, content);
  assert.deepEqual((await readAll(readKml, content, 1)).entries, entries);
  return { entries, titles };
}

async function only(content: string): Promise<PlainEntry | undefined> {
  return (await read(content)).entries[0];
}

describe('KML', () => {
  test('of My Maps has places in layers, with descriptions in HTML', async () => {
    const { entries, titles } = await read(`${HEAD}  <Document>
    <name>Lyon &amp; more</name>
    <description/>
    <Style id="icon-1899-0288D1-nodesc-normal"><IconStyle><scale>1</scale></IconStyle></Style>
    <Folder>
      <name>First layer</name>
      <Placemark>
        <name>Chez Nous</name>
        <description><![CDATA[<img src="https://maps.example/1" height="200" /><br><br>by the <b>window</b>]]></description>
        <styleUrl>#icon-1899-0288D1-nodesc</styleUrl>
        <ExtendedData><Data name="gx_media_links"><value>x</value></Data></ExtendedData>
        <Point>
          <coordinates>
            4.8357,45.764,0
          </coordinates>
        </Point>
      </Placemark>
    </Folder>
    <Folder>
      <name>Second layer</name>
      <Placemark><name>Östra &lt;1&gt; &#233;&#x1F35C;</name><address>1 Rue du Bac</address></Placemark>
    </Folder>
  </Document>
</kml>`);
    assert.deepEqual(titles, ['Lyon & more']);
    assert.deepEqual(entries, [
      {
        line: 9,
        name: 'Chez Nous',
        address: '',
        description: '<img src="https://maps.example/1" height="200" />\n\nby the <b>window</b>',
        longitude: 4.8357,
        latitude: 45.764,
      },
      { line: 23, name: 'Östra <1> é🍜', address: '1 Rue du Bac', description: '' },
    ]);
  });

  test('of Organic Maps has places with other namespaces, and tags with attributes or a prefix', async () => {
    const { entries, titles } = await read(
      `<kml xmlns="http://earth.google.com/kml/2.2" xmlns:mwm="https://omaps.app">
<Document><name>ばんごはん</name><visibility>1</visibility>
<Placemark><name>酒場</name><TimeStamp><when>2023-01-02T03:04:05Z</when></TimeStamp>
<Point><coordinates>139.7,35.7</coordinates></Point>
<ExtendedData><mwm:scale>16</mwm:scale><mwm:name lang="en">Bar</mwm:name></ExtendedData></Placemark>
<Placemark id="2"><name xml:lang="el">Ταβέρνα</name>${point('23.7,37.9')}</Placemark></Document></kml>`,
    );
    assert.deepEqual(titles, ['ばんごはん']);
    assert.deepEqual(
      entries.map(({ name, latitude }) => [name, latitude]),
      [
        ['酒場', 35.7],
        ['Ταβέρνα', 37.9],
      ],
    );
    const prefixed = file(place('<name>A</name>') + point('1,2')).replaceAll(/<(\/?)(?=[a-z])/gi, '<$1k:');
    assert.equal((await only(prefixed))?.['name'], 'A');
  });

  test('has no title where the document has no name', async () => {
    assert.deepEqual((await read(`${HEAD}${place('<name>A</name>')}</kml>`)).titles, []);
  });

  test('may have comments, and is read without them', async () => {
    const hidden = `<!-- ${place('<name>Hidden</name>')} -->`;
    const { entries } = await read(
      file(place(`<!-- <name>No</name> --><name>A</name>${hidden.slice(0, 4)}-->`)),
    );
    assert.deepEqual(
      entries.map(({ name }) => name),
      ['A'],
    );
  });

  const faults: readonly (readonly [what: string, content: string, line: number, fault: string])[] = [
    [
      'a line',
      file(place('<name>A</name><LineString><coordinates>1,2 3,4</coordinates></LineString>')),
      4,
      'the placemark is not a point',
    ],
    ['a point without a name', file(place(point('2.5,48.5'))), 4, 'a place without a name at 48.5,2.5'],
    ['an HTML page', '<!DOCTYPE html>\n<html><body><p>Sign in</p></body></html>', 1, NO_KML],
    ['plain text', 'no markup at all', 1, NO_KML],
    ['GeoJSON', '{"type":"FeatureCollection","features":[]}', 1, NO_KML],
    ['another root', `<gpx>${place('<name>A</name>')}</gpx>`, 1, NO_KML],
    ['no end', file().slice(0, -20), 1, 'the file ends in the middle'],
    ['no end of a place', file(place('<name>A</name>')).slice(0, -40), 1, 'the file ends in the middle'],
  ];
  for (const [what, content, line, fault] of faults)
    test(`with ${what} has a fault`, async () => {
      assert.deepEqual((await read(content)).entries, [faultAt(line, fault)]);
    });

  test('keeps what comes before its end is missing', async () => {
    const content = file(place('<name>A</name>'), place('<name>B</name>')).slice(0, -50);
    const { entries } = await read(content);
    assert.deepEqual([entries[0]?.['name'], entries[1]?.['fault']], ['A', 'the file ends in the middle']);
  });

  const bombs: readonly (readonly [what: string, type: string])[] = [
    ['entities that grow', '<!DOCTYPE kml [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'],
    ['an entity of another file', '<!DOCTYPE kml [<!ENTITY a SYSTEM "file:///etc/passwd">]>'],
    ['a type elsewhere', '<!DOCTYPE kml SYSTEM "https://example.com/kml.dtd">'],
  ];
  for (const [what, type] of bombs)
    test(`with ${what} is refused`, async () => {
      const content = file(place('<name>&b;</name>')).replace('<kml', `${type}\n<kml`);
      assert.deepEqual((await read(content)).entries, [faultAt(1, NO_KML)]);
    });

  test('leaves entities that are not of XML, and code points that are none, as they are', async () => {
    const name = '&b; &#99999999; &#1114112; &amp;lt;';
    assert.equal(
      (await only(file(place(`<name>${name}</name>`))))?.['name'],
      '&b; &#99999999; &#1114112; &lt;',
    );
  });

  test('is UTF-8', async () => {
    const content = Buffer.from(file(place('<name>Caf\xe9</name>')), 'latin1');
    assert.deepEqual((await read(content)).entries, [faultAt(4, 'a place without a name')]);
  });

  const long = 'x'.repeat(3_000_000);
  const huge: readonly (readonly [what: string, content: string])[] = [
    ['name', file(place('<name>A</name>'), place(`<name>${long}</name>`))],
    ['comment', file(place('<name>A</name>'), `<!-- ${long} -->`)],
  ];
  for (const [what, content] of huge)
    test(`with a ${what} of more than a megabyte is read up to there`, async () => {
      const { entries } = await readAll(readKml, content);
      const fault = 'a place is longer than 1 MiB, and the rest of the file is not read';
      assert.deepEqual(
        entries.map((entry) => entry['name'] ?? entry['fault']),
        ['A', fault],
      );
    });

  test('takes no longer for what never ends', async () => {
    for (const part of ['<!--', '<![CDATA[', '<name', '<Placemark ', '<br ', '&#'])
      await readAll(readKml, file(place(part.repeat(1_000_000 / part.length))));
  });
});
