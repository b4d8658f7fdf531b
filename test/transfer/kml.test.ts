import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readKml } from '../../src/transfer/kml.ts';
import { type PlainEntry, faultAt, readAll } from '../support/source.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2">\n';

const file = (...places: readonly string[]): string =>
  `${HEAD}<Document><name>Trip</name>\n${places.join('\n')}\n</Document></kml>\n`;
const place = (inside: string): string => `<Placemark>${inside}</Placemark>`;
const point = (coordinates: string): string => `<Point><coordinates>${coordinates}</coordinates></Point>`;
const data = (name: string, value: string): string => `<Data name="${name}"><value>${value}</value></Data>`;

/** The entries of a file, read whole and byte by byte. */
async function read(content: string | Uint8Array): Promise<Awaited<ReturnType<typeof readAll>>> {
  const found = await readAll(readKml, content);
  assert.deepEqual((await readAll(readKml, content, 1)).entries, found.entries);
  return found;
}

async function only(content: string): Promise<PlainEntry | undefined> {
  return (await read(content)).entries[0];
}

async function namesIn(content: string): Promise<unknown[]> {
  return (await read(content)).entries.map(({ name, fault }) => name ?? fault);
}

describe('KML', () => {
  test('of My Maps has places in layers, with descriptions in HTML', async () => {
    const { entries, ownName, left_out } = await read(`${HEAD}  <Document>
    <name>Lyon &amp; more</name>
    <description/>
    <Style id="icon-1899-0288D1-nodesc-normal"><IconStyle><scale>1</scale></IconStyle></Style>
    <Folder>
      <name>First layer</name>
      <Placemark>
        <name>Chez Nous</name>
        <description><![CDATA[<img src="https://maps.example/1" height="200" /><br><br>URL: https://nous.example<br>Note: caf&eacute;&nbsp;cr&egrave;me, by the <b>window</b><br>Labels: <br>]]></description>
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
    assert.equal(ownName, 'Lyon & more');
    assert.deepEqual(entries, [
      {
        line: 9,
        name: 'Chez Nous',
        website: 'https://nous.example',
        latitude: 45.764,
        longitude: 4.8357,
        note: 'café crème, by the <b>window</b>',
      },
      { line: 23, name: 'Östra <1> é🍜', address: '1 Rue du Bac' },
    ]);
    assert.deepEqual(left_out, [
      { field: 'position', reason: 'no_position', count: 1, line: 23, example: '' },
    ]);
  });

  test('of Organic Maps has places with other namespaces, and tags with attributes or a prefix', async () => {
    const { entries, ownName } = await read(
      `<kml xmlns="http://earth.google.com/kml/2.2" xmlns:mwm="https://omaps.app">
<Document><name>ばんごはん</name><visibility>1</visibility>
<Placemark><name>酒場</name><TimeStamp><when>2023-01-02T03:04:05Z</when></TimeStamp>
<Point><coordinates>139.7,35.7</coordinates></Point>
<ExtendedData><mwm:scale>16</mwm:scale><mwm:name lang="en">Bar</mwm:name></ExtendedData></Placemark>
<Placemark id="2"><name xml:lang="el">Ταβέρνα</name>${point('23.7,37.9')}</Placemark></Document></kml>`,
    );
    assert.equal(ownName, 'ばんごはん');
    const shown = entries.map(({ name, latitude, created_at }) => [name, latitude, created_at]);
    assert.deepEqual(shown, [
      ['酒場', 35.7, '2023-01-02T03:04:05.000Z'],
      ['Ταβέρνα', 37.9, undefined],
    ]);
    const prefixed = file(place('<name>A</name>') + point('1,2')).replaceAll(/<(\/?)(?=[a-z])/gi, '<$1k:');
    assert.equal((await only(prefixed))?.['name'], 'A');
  });

  const inside: readonly (readonly [what: string, inside: string, expected: object])[] = [
    ['a telephone number', '<phoneNumber>+49 000 1</phoneNumber>', { phone: '+49 000 1' }],
    [
      'a link',
      '<atom:link href="https://a.example/?a=1&amp;b=2"/>',
      { website: 'https://a.example/?a=1&b=2' },
    ],
    [
      'data',
      `<ExtendedData>${data('website', 'https://a.example')}</ExtendedData>`,
      { website: 'https://a.example' },
    ],
    [
      'data of a schema',
      '<ExtendedData><SchemaData schemaUrl="#s"><SimpleData name="Telefon">1</SimpleData></SchemaData></ExtendedData>',
      { phone: '1' },
    ],
    [
      'a link in its description',
      '<description>good (https://a.example/x), see</description>',
      { website: 'https://a.example/x', note: 'good (https://a.example/x), see' },
    ],
    [
      'a point next to a line',
      `<MultiGeometry><LineString><coordinates>1,2 3,4</coordinates></LineString>${point('9,48')}</MultiGeometry>`,
      { latitude: 48, longitude: 9 },
    ],
    ['a line alone', '<LineString><coordinates>1,2 3,4</coordinates></LineString>', {}],
    ['decimal commas', point('9,1,48,1'), {}],
    ['two points in one', point('1,2 3,4'), {}],
    ['a position that is none', point('9,148'), {}],
    ['zeros', point('0,0,0'), {}],
    ['the name of a style', '<Style><name>S</name></Style>', {}],
  ];
  for (const [what, part, expected] of inside)
    test(`has places with ${what}`, async () => {
      assert.deepEqual(await only(file(place(`<name>A</name>${part}`))), { line: 4, name: 'A', ...expected });
    });

  test('may have comments, and is read without them', async () => {
    const hidden = `<!-- ${place('<name>Hidden</name>')} -->`;
    const content = file(place(`<!-- <name>No</name> --><name>A</name>${hidden.slice(0, 4)}-->`));
    assert.deepEqual(await namesIn(content), ['A']);
  });

  test('has a fault for a point without a name, for what is not UTF-8, and for an end that is missing', async () => {
    const nameless = 'a place without a name at 48.5,2.5';
    assert.deepEqual(await only(file(place(point('2.5,48.5')))), faultAt(4, nameless));
    const broken = Buffer.from(file(place('<name>Caf\xe9</name>')), 'latin1');
    assert.deepEqual((await read(broken)).entries, [faultAt(4, 'a place without a name')]);
    const content = file(place('<name>A</name>'), place('<name>B</name>')).slice(0, -20);
    assert.deepEqual(await namesIn(content), ['A', 'B', 'the file ends in the middle']);
  });

  const refused: readonly (readonly [what: string, content: string, code: string])[] = [
    ['plain text', 'no markup at all', 'other_xml'],
    ['another root', `<rss>${place('<name>A</name>')}</rss>`, 'other_xml'],
    ['nothing but a link', `${HEAD}<NetworkLink><name>A</name></NetworkLink></kml>`, 'link_only'],
    [
      'entities that grow',
      '<!DOCTYPE kml [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><kml/>',
      'document_type',
    ],
    [
      'an entity of another file',
      '<!DOCTYPE kml [<!ENTITY a SYSTEM "file:///etc/passwd">]><kml/>',
      'document_type',
    ],
    ['a type elsewhere', '<!DOCTYPE kml SYSTEM "https://example.com/kml.dtd"><kml/>', 'document_type'],
  ];
  for (const [what, content, code] of refused)
    test(`with ${what} is refused`, async () => {
      await assert.rejects(read(content), { name: 'UnreadableFile', code });
    });

  test('leaves entities that are not of HTML, and code points that are none, as they are', async () => {
    const name = '&b; &#99999999; &#1114112; &amp;lt; &eacute;';
    const expected = '&b; &#99999999; &#1114112; &lt; é';
    assert.equal((await only(file(place(`<name>${name}</name>`))))?.['name'], expected);
  });

  test('has as many places and faults as placemarks, whatever is missing', async () => {
    const part = fc.constantFrom(
      ...[
        '<Placemark>',
        '<Placemark id="1">',
        '</Placemark>',
        '<Folder>',
        '</Folder>',
        '<name>A</name>',
        '</name>',
      ],
      ...[
        '<name>',
        'text',
        '<Point>',
        '</Point>',
        '<coordinates>1,2</coordinates>',
        '<Style>',
        '</Style>',
        '&lt;',
      ],
      ...[
        '<!-- x -->',
        '<![CDATA[<b>]]>',
        '<description>',
        '</description>',
        '<Polygon>',
        '</Polygon>',
        '\n',
      ],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 40 }), async (parts) => {
        const content = `${HEAD}<Document>${parts.join('')}</Document></kml>`;
        const { entries } = await readAll(readKml, content);
        const faults = entries.filter(({ fault }) => fault === 'the file ends in the middle');
        assert.equal(entries.length - faults.length, content.split('<Placemark').length - 1);
      }),
    );
  });

  const long = 'x'.repeat(3_000_000);
  const huge: readonly (readonly [what: string, content: string, fault: string])[] = [
    ['name', file(place(`<name>${long}</name>`), place('<name>A</name>')), 'the record is longer than 1 MiB'],
    [
      'comment',
      file(place('<name>A</name>'), `<!-- ${long} -->`),
      'a place is longer than 1 MiB, and the rest of the file is not read',
    ],
  ];
  for (const [what, content, fault] of huge)
    test(`with a ${what} of more than a megabyte has a fault`, async () => {
      const { entries } = await readAll(readKml, content);
      assert.deepEqual(entries.map((entry) => entry['name'] ?? entry['fault']).sort(), ['A', fault]);
    });

  test('takes no longer for what never ends, and for a million folders', async () => {
    for (const part of ['<!--', '<![CDATA[', '<name', '<Placemark ', '<br ', '&#', '<a b="', '<', '<Folder>'])
      await readAll(readKml, file(place(part.repeat(1_000_000 / part.length))));
  });
});

test('GPX has waypoints with their notes', async () => {
  const { entries, read_as } = await read(
    '<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><metadata><name>Trip</name></metadata>' +
      '<wpt lat="48.1" lon="9.1"><ele>4</ele><name>A</name><desc>by the window</desc><link href="https://a.example"><text>a</text></link></wpt>' +
      '<trk><name>Way</name><trkseg><trkpt lat="1" lon="2"/></trkseg></trk></gpx>',
  );
  const expected = { line: 1, name: 'A', website: 'https://a.example', latitude: 48.1, longitude: 9.1 };
  assert.deepEqual([entries, read_as], [[{ ...expected, note: 'by the window' }], 'gpx']);
});

test('GPX has facts among the extensions of other programs, and elements that are not read are named', async () => {
  const { entries, ignored } = await read(
    '<gpx><wpt lat="48.1" lon="9.1"><ele>1</ele><name>A</name><sym>Pin</sym><extensions><osmand:address>Ufer 1</osmand:address><osmand:icon>food</osmand:icon>' +
      '<x:Phone><x:PhoneNumber>+49 1</x:PhoneNumber></x:Phone></extensions></wpt></gpx>',
  );
  const expected = { line: 1, name: 'A', address: 'Ufer 1', phone: '+49 1', latitude: 48.1, longitude: 9.1 };
  assert.deepEqual(entries, [expected]);
  assert.deepEqual(ignored, [
    { name: 'sym', count: 1, example: 'Pin' },
    { name: 'icon', count: 1, example: 'food' },
  ]);
});
