import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { joinedAddress } from '../../src/transfer/address.ts';
import { NameReader, type Target } from '../../src/transfer/names.ts';
import { builtInListOf, isHomeLabel, isLabelled, listNameOf } from '../../src/transfer/takeout-names.ts';

const targetOf = (name: string): Target | undefined => new NameReader().targetOf(name)?.target;

// The words of a header: in English, German, Spanish, French, Italian, Dutch, Portuguese, Japanese and Arabic.
const HEADERS: readonly (readonly [Target, string])[] = [
  ['name', 'Name; Name; Nombre; Nom; Nome; Naam; Nome; 店名; الاسم'],
  ['address', 'Address; Adresse; Dirección; Adresse; Indirizzo; Adres; Endereço; 住所; العنوان'],
  ['street', 'Street; Straße; Calle; Rue; Via; Straat; Rua; 町名; الشارع'],
  [
    'postcode',
    'Postcode; Postleitzahl; Código postal; Code postal; CAP; Postcode; CEP; 郵便番号; الرمز البريدي',
  ],
  ['city', 'City; Ort; Ciudad; Ville; Città; Plaats; Cidade; 市区町村; المدينة'],
  ['country', 'Country; Land; País; Pays; Paese; Land; País; 国; الدولة'],
  ['phone', 'Phone; Telefon; Teléfono; Téléphone; Telefono; Telefoon; Telefone; 電話番号; رقم الهاتف'],
  ['website', 'Website; Webseite; Sitio web; Site web; Sito web; Website; Site; ウェブサイト; موقع الويب'],
  [
    'description',
    'Description; Beschreibung; Descripción; Description; Descrizione; Beschrijving; Descrição; 説明; الوصف',
  ],
  [
    'latitude',
    'Latitude; Breitengrad; Latitud; Latitude; Latitudine; Breedtegraad; Latitude; 緯度; خط العرض',
  ],
  [
    'longitude',
    'Longitude; Längengrad; Longitud; Longitude; Longitudine; Lengtegraad; Longitude; 経度; خط الطول',
  ],
  ['category', 'Category; Kategorie; Categoría; Catégorie; Categoria; Categorie; Categoria; カテゴリ; الفئة'],
  ['cuisine', 'Cuisine; Küche; Cocina; Cuisine; Cucina; Keuken; Cozinha; 料理; المطبخ'],
  ['price', 'Price; Preis; Precio; Prix; Prezzo; Prijs; Preço; 価格帯; السعر'],
  [
    'opening_hours',
    `Opening hours; Öffnungszeiten; Horario; Heures d'ouverture; Orari di apertura; Openingstijden;
    Horário de funcionamento; 営業時間; ساعات العمل`,
  ],
];

describe('the name of a column', () => {
  for (const [target, words] of HEADERS)
    test(`is read as ${target} in nine languages, however it is written`, () => {
      for (const word of words.split(';').map((one) => one.trim())) {
        const written = [
          word,
          word.toUpperCase(),
          word.toLowerCase(),
          word.replaceAll(' ', '_'),
          ` ${word.replaceAll(' ', '-')} `,
          `\u200b${word}\ufeff`,
          word.normalize('NFD'),
          word.normalize('NFD').replace(/[\u0300-\u036f]/g, ''),
          `${word}:`,
        ];
        for (const one of written) assert.equal(targetOf(one), target, one);
      }
    });

  const others: readonly (readonly [Target | undefined, readonly string[]])[] = [
    [
      'name',
      [
        'fields.Name',
        'tags.name',
        'Card Name',
        'title',
        'NAME',
        'Restaurant-Name',
        'names.primary',
        'displayName.text',
      ],
    ],
    [
      'street',
      [
        'address.road',
        'venue.location.street',
        'addr:street',
        'addr:street_address',
        'addresses.freeform',
        'STRASSE',
        'Strasse',
      ],
    ],
    [
      'latitude',
      [
        'venue.location.lat',
        'coordinate.latitude',
        'geometry.y',
        'lat',
        '@lat',
        'coordinates.latitude',
        'geocodes.main.latitude',
        'y',
      ],
    ],
    ['longitude', ['lng', 'lon', 'long', '@lon', 'Laengengrad']],
    ['opening_hours', ['OEFFNUNGSZEITEN', 'hours']],
    ['osm_id', ['@id', 'osm_id']],
    ['id', ['id']],
    ['external_ids.fsq', ['fsq_id', 'fsq_place_id']],
    [
      'closed',
      ['date_closed', 'end_date', 'permanently_closed', 'is_permanently_closed', 'Fermé définitivement'],
    ],
    ['paused', ['temporarily_closed', 'is_temporarily_closed', 'Vorübergehend geschlossen']],
    ['open', ['is_open']],
    ['status', ['operating_status', 'business_status']],
    ['former', ['disused:amenity', 'was:amenity']],
    ['position', ['Lat/Long']],
    ['cuisine', ['Type of Food', 'categories', 'fsq_category_labels']],
    ['map_link', ['Google Maps URL', 'google_maps_url']],
    ['phone', ['contact:phone', 'tel', 'phones']],
    [
      undefined,
      ['stars', 'review_count', 'confidence', 'brand:wikidata', 'fax', '', '@', '…', 'x'.repeat(5_000)],
    ],
  ];
  for (const [target, names] of others)
    test(`is ${target ?? 'unknown'} for ${names.join(', ').slice(0, 80)}`, () => {
      for (const name of names) assert.equal(targetOf(name), target, name);
    });

  test('counts less the less it is our own', () => {
    const names = new NameReader();
    const ranks = ['phone', 'contact:phone', 'mobile'].map((name) => names.targetOf(name)?.rank ?? -1);
    assert.deepEqual(
      ranks,
      ranks.toSorted((left, right) => left - right),
    );
    assert.equal(names.targetOf('PHONE')?.rank, 0);
  });
});

describe('the address of parts', () => {
  const addresses: readonly (readonly [string, Partial<Record<Target, string>>])[] = [
    [
      'Ufer 1, 00000 Neustadt, DE',
      { street: 'Ufer', house_number: '1', postcode: '00000', city: 'Neustadt', country: 'DE' },
    ],
    ['Quai 5, 75001 Paris', { street: 'Quai', house_number: '5.0', postcode: '75001.0', city: 'Paris' }],
    ['Oberdorf 7, Neustadt', { place: 'Oberdorf', house_number: '7', city: 'Neustadt' }],
    ['1 Quay Road, Newtown, N1 1AA', { street: '1 Quay Road', city: 'Newtown', postcode: 'N1 1AA' }],
    [
      '1 Main St, Suite 2, Aville, NY 10001, US',
      {
        street: 'Main St',
        house_number: '1',
        unit: 'Suite 2',
        city: 'Aville',
        region: 'NY',
        postcode: '10001',
        country: 'US',
      },
    ],
    [
      '5 Quai X, 75001 Paris, France',
      { street: 'Quai X', house_number: '5', postcode: '75001', city: 'Paris', country: 'France' },
    ],
    ['Gracht 1, 1012 AB Stad', { street: 'Gracht', house_number: '1', postcode: '1012 AB', city: 'Stad' }],
    [
      '150-0041 東京都渋谷区神南1-2',
      { region: '東京都', city: '渋谷区', street: '神南', house_number: '1-2', postcode: '150-0041' },
    ],
    [
      'Rua X 1, Centro, 00000-000 Cidade',
      { street: 'Rua X', house_number: '1', district: 'Centro', city: 'Cidade', postcode: '00000-000' },
    ],
    ['Hauptstr. 5, Berlin', { street: 'Hauptstr. 5', house_number: '5', city: 'Berlin', region: 'Berlin' }],
    ['1 Main St, Aville', { address: '1 Main St', city: 'Aville' }],
    [
      '1 Main St, Aville, PA 19107',
      { address: '1 Main St', city: 'Aville', region: 'PA', postcode: '19107' },
    ],
    ['5 Rue X, PARIS', { address: '5 Rue X, PARIS', city: 'Paris, France' }],
    ['Hauptstr. 1, Munchen', { address: 'Hauptstr. 1, Munchen', city: 'München' }],
    ['5 Rue X 75001 Paris', { address: '5 Rue X 75001 Paris', postcode: '75001', city: 'Paris' }],
    ['5 Rue de Paris, 75001 Paris', { address: '5 Rue de Paris', postcode: '75001', city: 'Paris' }],
    ['Paris, France', { city: 'Paris, France' }],
  ];
  for (const [address, parts] of addresses)
    test(`is ${address}`, () => {
      assert.equal(joinedAddress(partsOf(parts)), address);
    });

  test('is none where only the country or region is known', () => {
    assert.equal(joinedAddress(partsOf({ country: 'DE', region: 'Bayern', house_number: '1' })), undefined);
  });
});

function partsOf(parts: Partial<Record<Target, string>>): ReadonlyMap<Target, string> {
  return new Map(
    HAS_PARTS.flatMap((target) => (parts[target] === undefined ? [] : [[target, parts[target]]])),
  );
}
const HAS_PARTS = [
  'address',
  'street',
  'house_number',
  'unit',
  'place',
  'district',
  'postcode',
  'city',
  'region',
  'country',
] as const;

describe('a file of Google Takeout', () => {
  const lists: readonly (readonly [string | undefined, string])[] = [
    [
      'want',
      'Want to go; Möchte ich hin; Quiero ir; Envie d’y aller; Voglio andarci; Hier wil ik naartoe; Quero ir; 行ってみたい; أريد الذهاب',
    ],
    [
      'favourites',
      'Favorites; Favourite places; Favoriten; Favoritos; Favoris; Preferiti; Favorieten; お気に入り; المفضلة',
    ],
    [
      'starred',
      'Starred places; Markierte Orte; Lugares destacados; Luoghi speciali; スター付きの場所; Lugares com estrela',
    ],
    [
      'travel',
      'Travel plans; Reisepläne; Planes de viaje; Projets de voyage; Reisplannen; Planos de viagem; 旅行プラン',
    ],
    [
      'default',
      'Default list; Standardliste; Lista predeterminada; Liste par défaut; Elenco predefinito; Lista padrão',
    ],
    [undefined, 'Trip; Want; To go; Favourite soups; (1)'],
  ];
  for (const [list, names] of lists)
    test(`fills the list ${list ?? 'of its name'} in any case, also as a copy`, () => {
      for (const name of names.split('; '))
        for (const file of [name, `${name}.csv`, `${name}(1).csv`, `${name} (12).csv`, name.toUpperCase()])
          assert.equal(builtInListOf(file), list, file);
    });

  test('has labels by its name, and no other kind of file has', () => {
    const kinds = {
      labelled:
        'Labeled places; Mit Label versehene Orte; Sitios etiquetados; Luoghi etichettati; ラベル付きの場所',
      reviews: 'Reviews; Rezensionen; Reseñas; Avis; Recensioni; Avaliações; クチコミ',
      saved:
        'Saved Places; Gespeicherte Orte; Sitios guardados; Lieux enregistrés; Luoghi salvati; 保存した場所',
      other: 'Places; Soup; Travis',
    };
    for (const [kind, names] of Object.entries(kinds))
      for (const name of names.split('; '))
        assert.equal(isLabelled(`${name}.json`), kind === 'labelled', name);
  });

  test('has the name of a list without its ending and number', () => {
    const files = ['Trip (2024).csv', 'Trip(1).csv', 'A.b.kmz', '.csv'];
    assert.deepEqual(files.map(listNameOf), ['Trip (2024)', 'Trip', 'A.b', '']);
  });

  test('may have a home and pins without a name among its labels', () => {
    for (const label of [
      'Home',
      'WORK',
      'Zuhause',
      'Trabajo',
      '自宅',
      'المنزل',
      'Dropped pin',
      'Repère placé',
    ])
      assert.ok(isHomeLabel(label), label);
    assert.ok(!isHomeLabel('Home Kitchen'));
  });
});
