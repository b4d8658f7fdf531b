/** A form of text, the text, and what it says of a place. */
export type PlaceRow = readonly [form: string, text: string, place: Readonly<Record<string, unknown>>];

const NAME = 'Trattoria Da Enzo';
const SPOT = { lat: 41.8884, lng: 12.4775 };
const ENZO = { name: NAME, ...SPOT };
// The middle of a map may be some way off.
const ROUGHLY = { ...SPOT, approximate: true };
const ENZO_ROUGHLY = { ...ENZO, approximate: true };
const G = 'https://www.google.com/maps';

/** Links to maps; `url` is left out of a row where it is the text itself. */
export const LINKS: readonly PlaceRow[] = [
  [
    'Google, a place',
    `${G}/place/Trattoria+Da+Enzo/@41.8880,12.4749,17z/data=!3m1!4b1!4m6!3m5!1s0x132f6033b5f3:0x4a!8m2!3d41.8884!4d12.4775!16s%2Fg%2F1tf`,
    ENZO,
  ],
  [
    'Google, a place with its id',
    `${G}/place/Trattoria+Da+Enzo/data=!4m7!3m6!1s0x1:0x2!8m2!3d41.8884!4d12.4775!19sChIJ0Z9XJ-8?authuser=0&hl=en`,
    { ...ENZO, google_place_id: 'ChIJ0Z9XJ-8' },
  ],
  ['Google, the middle of the map alone', `${G}/place/Trattoria+Da+Enzo/@41.8884,12.4775,17z`, ENZO_ROUGHLY],
  ['Google, a map', `${G}/@41.8884,12.4775,15z`, ROUGHLY],
  [
    'Google, a satellite view',
    `${G}/@-33.8,151.2,900m/data=!3m1!1e3`,
    { lat: -33.8, lng: 151.2, approximate: true },
  ],
  [
    'Google, another country',
    'https://www.google.co.jp/maps/place/Enzo/@1.5,2.5,17z',
    { name: 'Enzo', lat: 1.5, lng: 2.5, approximate: true },
  ],
  ['Google, the old host', 'https://maps.google.de/maps?q=41.8884,12.4775(Trattoria+Da+Enzo)', ENZO],
  ['Google, q with words', 'https://maps.google.com/?q=Trattoria+Da+Enzo&ll=41.8884,12.4775', ENZO],
  [
    'Google, q with an address',
    'https://maps.google.com/?q=Trattoria+Da+Enzo,+Via+dei+Vascellari,+29,+00153+Roma+RM&ftid=0x1:0x2',
    { name: NAME, address: 'Via dei Vascellari, 29, 00153 Roma RM' },
  ],
  ['Google, q with loc', 'https://maps.google.com/maps?q=loc:41.8884,12.4775', SPOT],
  ['Google, q with a place id', `${G}/place/?q=place_id:ChIJabc_-9`, { google_place_id: 'ChIJabc_-9' }],
  [
    'Google, a search',
    `${G}/search/?api=1&query=Trattoria%20Da%20Enzo&query_place_id=ChIJabc`,
    { name: NAME, google_place_id: 'ChIJabc' },
  ],
  ['Google, a search for a position', `${G}/search/41.8884,+12.4775?entry=tts`, SPOT],
  ['Google, a search with position', `${G}/search/?api=1&query=41.8884%2C12.4775`, SPOT],
  ['Google, a search in the path', `${G}/search/Trattoria+Da+Enzo/@41.8884,12.4775,17z`, ENZO_ROUGHLY],
  [
    'Google, directions',
    `${G}/dir/?api=1&origin=1.5,2.5&destination=Trattoria+Da+Enzo&destination_place_id=ChIJabc`,
    { name: NAME, google_place_id: 'ChIJabc' },
  ],
  [
    'Google, directions in the path',
    `${G}/dir/Termini,+Roma/Trattoria+Da+Enzo/@41.89,12.48,15z/data=!4m13!4m12!1m5!1m1!1s0x1!2m2!1d12.5018!2d41.9008!1m5!1m1!1s0x2!2m2!1d12.4775!2d41.8884`,
    ENZO,
  ],
  ['Google, directions to a position', `${G}/dir/?api=1&destination=41.8884,12.4775`, SPOT],
  [
    'Google, a dropped pin',
    `${G}/place/41%C2%B053'18.2%22N+12%C2%B028'39.0%22E/@41.8883,12.4775,17z/data=!4m4!3m3!8m2!3d41.8884!4d12.4775`,
    SPOT,
  ],
  [
    'Google, a wrapped link',
    `https://www.google.com/url?q=${encodeURIComponent('https://maps.google.com/?q=1.5,2.5')}&sa=D`,
    { lat: 1.5, lng: 2.5, url: 'https://maps.google.com/?q=1.5,2.5' },
  ],
  [
    'Google, a link behind the consent page',
    `https://consent.google.com/m?continue=${encodeURIComponent(`${G}/place/Enzo/@1.5,2.5,9z`)}&gl=IT`,
    { name: 'Enzo', lat: 1.5, lng: 2.5, approximate: true, url: `${G}/place/Enzo/@1.5,2.5,9z` },
  ],
  [
    'Google, a search of the web',
    'https://www.google.com/search?q=Trattoria+Da+Enzo&kgmid=/g/1tf',
    { name: NAME },
  ],
  ['Google, a short link', 'https://maps.app.goo.gl/AbC123', { unresolved: true }],
  ['Google, an old short link', 'https://goo.gl/maps/AbC123', { unresolved: true }],
  ['Apple', 'https://maps.apple.com/?ll=41.8884,12.4775&q=Trattoria%20Da%20Enzo&t=m', ENZO],
  [
    'Apple, with an address',
    'https://maps.apple.com/?address=Via%20dei%20Vascellari%2029,%20Roma&auid=1&ll=41.8884,12.4775&lsp=9902&q=Trattoria%20Da%20Enzo',
    { ...ENZO, address: 'Via dei Vascellari 29, Roma' },
  ],
  [
    'Apple, a place',
    'https://maps.apple.com/place?address=Via%20dei%20Vascellari%2029&coordinate=41.8884,12.4775&name=Trattoria%20Da%20Enzo&place-id=I1',
    { ...ENZO, address: 'Via dei Vascellari 29' },
  ],
  ['Apple, directions', 'https://maps.apple.com/?daddr=41.8884,12.4775&dirflg=w', SPOT],
  ['Apple, a short link', 'https://maps.apple/p/AbC', { unresolved: true }],
  ['OpenStreetMap, a node', 'https://www.openstreetmap.org/node/26608425', { osm: 'N26608425' }],
  [
    'OpenStreetMap, a way on a map',
    'https://www.openstreetmap.org/way/5013364#map=19/41.8884/12.4775',
    { osm: 'W5013364', lat: 41.8884, lng: 12.4775, approximate: true },
  ],
  ['OpenStreetMap, a relation', 'https://osm.org/relation/62422', { osm: 'R62422' }],
  ['OpenStreetMap, a pin', 'https://www.openstreetmap.org/?mlat=41.8884&mlon=12.4775#map=17/41.9/12.5', SPOT],
  [
    'OpenStreetMap, a map',
    'https://www.openstreetmap.org/#map=17/-41.8884/-12.4775&layers=C',
    { lat: -41.8884, lng: -12.4775, approximate: true },
  ],
  ['OpenStreetMap, a code', 'https://osm.org/go/xcXjyqQlq--?m=', { lat: 41.902232, lng: 12.457229 }],
  ['geo', 'geo:41.8884,12.4775', SPOT],
  ['geo, with accuracy', 'geo:41.8884,12.4775,30;u=35', SPOT],
  ['geo, with a label', 'geo:41.8884,12.4775?z=17&q=41.8884,12.4775(Trattoria+Da+Enzo)', ENZO],
  ['geo, without a position', 'geo:0,0?q=Trattoria+Da+Enzo', { name: NAME }],
  ['geo, label with blanks', 'geo:0,0?q=41.8884,12.4775(Trattoria Da Enzo)', ENZO],
  ['Bing', 'https://www.bing.com/maps?cp=41.8884~12.4775&lvl=17', ROUGHLY],
  [
    'Bing, a pin',
    'https://www.bing.com/maps?sp=point.41.8884_12.4775_Trattoria%20Da%20Enzo_note&lvl=16',
    ENZO,
  ],
  ['Waze', 'https://www.waze.com/ul?ll=41.8884%2C12.4775&navigate=yes&zoom=17', SPOT],
  ['Waze, directions', 'https://www.waze.com/live-map/directions?to=ll.41.8884%2C12.4775', SPOT],
  ['HERE', 'https://wego.here.com/?map=41.8884,12.4775,17,normal', ROUGHLY],
  ['HERE, a pin', 'https://share.here.com/l/41.8884,12.4775,Trattoria%20Da%20Enzo?z=17&p=yes', ENZO],
  [
    'a link without its scheme',
    'maps.google.com/?q=41.8884,12.4775',
    { lat: 41.8884, lng: 12.4775, url: 'https://maps.google.com/?q=41.8884,12.4775' },
  ],
  [
    'Japanese, encoded',
    `${G}/place/%E8%95%8E%E9%BA%A6%E5%B1%8B/@35.5,139.5,17z`,
    { name: '蕎麦屋', lat: 35.5, lng: 139.5, approximate: true },
  ],
  [
    'Arabic, plain',
    `${G}/place/مطعم+أبو+علي/@24.5,46.5,17z`,
    {
      name: 'مطعم أبو علي',
      lat: 24.5,
      lng: 46.5,
      approximate: true,
      url: encodeURI(`${G}/place/مطعم+أبو+علي/@24.5,46.5,17z`),
    },
  ],
  [
    'a plus sign and a percent sign',
    `${G}/search/?api=1&query=100%25+Pasta+%2B+Vino`,
    { name: '100% Pasta + Vino' },
  ],
  [
    'broken encoding',
    `${G}/place/50%+off%E0%A4/@1.5,2.5,17z`,
    { name: '50% off%E0%A4', lat: 1.5, lng: 2.5, approximate: true },
  ],
  ['out of range', 'https://maps.google.com/?q=91.5,12.5', { unresolved: true }],
  ['Google, an id alone', 'https://maps.google.com/?cid=161', { unresolved: true }],
  [
    'Google, a map in another page',
    `${G}/embed?pb=!1m18!1m12!1m3!1d2624.9!2d12.4775!3d41.8884!2m3!1f0!2f0!3f0!1s0x1:0x2!2sX`,
    SPOT,
  ],
  ['Google, an old country', 'https://maps.google.com.au/maps?q=41.8884,12.4775(Trattoria+Da+Enzo)', ENZO],
  [
    'Google, a plus code before the name',
    `${G}/place/8FWC%2B22+Trattoria+Da+Enzo,+Roma/@41.8,12.4,17z/data=!3d41.8884!4d12.4775`,
    { ...ENZO, address: 'Roma' },
  ],
  ['Google, a plus code alone', `${G}/place/8FHJVFQH%2B9X/@41.8884,12.4775,17z`, ROUGHLY],
  ['Google, its app', 'comgooglemaps://?q=Trattoria+Da+Enzo&center=41.8884,12.4775', ENZO_ROUGHLY],
  ['Google, navigation', 'google.navigation:q=41.8884,12.4775', SPOT],
  ['Google, degrees', `${G}?q=41%C2%B030%27N+12%C2%B030%27E`, { lat: 41.5, lng: 12.5 }],
  ['Google, a new short link', 'https://share.google/AbC123', { unresolved: true }],
  ['Google, a short link of a search', 'https://g.co/kgs/AbC123', { unresolved: true }],
  [
    'Google, a link with its address inside',
    `https://maps.app.goo.gl/?link=${encodeURIComponent('https://maps.google.com/?q=1.5,2.5')}`,
    { lat: 1.5, lng: 2.5, url: 'https://maps.google.com/?q=1.5,2.5' },
  ],
  [
    'Google, a review',
    'https://search.google.com/local/writereview?placeid=ChIJabc',
    { google_place_id: 'ChIJabc' },
  ],
  ['Google, a saved list', 'https://www.google.com/interests/saved/list/AbC', { many: true }],
  ['Naver, a folder', 'https://map.naver.com/p/favorite/myPlace/folder/AbC', { many: true }],
  ['Kakao, a folder', 'https://map.kakao.com/favorite/list?x=1', { many: true }],
  ['Google, a list', `${G}/@41.8,12.4,12z/data=!4m3!11m2!2sAbC!3e3`, { many: true }],
  ['Google, a map of many places', `${G}/d/viewer?mid=AbC`, { many: true }],
  ['Apple, a guide', 'https://maps.apple.com/guides?user=AbC', { many: true }],
  [
    'Apple, a search',
    'https://maps.apple.com/search?query=Enzo&center=1.5,2.5',
    {
      ...{ name: 'Enzo', lat: 1.5, lng: 2.5 },
      approximate: true,
    },
  ],
  ['OpenStreetMap, directions', 'https://www.openstreetmap.org/directions?to=41.8884,12.4775', SPOT],
  // The example of Organic Maps.
  [
    'Organic Maps',
    'https://omaps.app/o4B4pYZsRs/Zoo_Z%C3%BCrich',
    {
      name: 'Zoo Zürich',
      lat: 47.38593,
      lng: 8.57666,
    },
  ],
  [
    'Organic Maps, its app',
    'om://o4B4pYZsRs/Zoo_Z%C3%BCrich',
    {
      name: 'Zoo Zürich',
      lat: 47.38593,
      lng: 8.57666,
    },
  ],
  ['Maps.me', 'ge0.me/o4B4pYZsRs', { lat: 47.38593, lng: 8.57666, url: 'https://ge0.me/o4B4pYZsRs' }],
  ['Organic Maps, numbers', 'om://map?v=1&ll=41.8884,12.4775&n=Trattoria%20Da%20Enzo', ENZO],
  [
    'HERE, directions',
    'https://wego.here.com/directions/drive/me/Trattoria%20Da%20Enzo:41.8884,12.4775',
    ENZO,
  ],
  [
    'Bing, directions',
    'https://www.bing.com/maps?rtp=pos.1.5_2.5_A~pos.41.8884_12.4775_Trattoria%20Da%20Enzo',
    ENZO,
  ],
  ['Waze, a code', 'https://waze.com/ul/hsr2y', { unresolved: true }],
  ['Waze, a longer code', 'https://waze.com/ul/hu09tk0zkq', { lat: 48.740222, lng: 2.295392 }],
  [
    'Waze, an id of Google',
    'https://waze.com/ul?place=ChIJabc&ll=41.8884%2C12.4775',
    {
      ...SPOT,
      google_place_id: 'ChIJabc',
    },
  ],
  [
    'Yandex, the longitude first',
    'https://yandex.com/maps/?ll=12.4775%2C41.8884&z=17&text=Trattoria%20Da%20Enzo',
    ENZO_ROUGHLY,
  ],
  ['Yandex, a pin', 'https://yandex.ru/maps/?pt=12.4775,41.8884,pm2rdm&z=18&l=map', SPOT],
  ['Yandex, a route', 'https://yandex.ru/maps/?rtext=1.5,2.5~41.8884,12.4775&rtt=auto', SPOT],
  [
    'Yandex, a place',
    'https://yandex.com.tr/maps/org/da_enzo/1018907821/?ll=12.4775%2C41.8884',
    {
      ...ROUGHLY,
      name: 'da enzo',
    },
  ],
  ['Yandex, a short link', 'https://yandex.ru/maps/-/CDabc', { unresolved: true }],
  ['Naver, a search', 'https://map.naver.com/p/search/%EC%8B%9D%EB%8B%B9/place/123', { name: '식당' }],
  ['Naver, its app', 'nmap://place?lat=41.8884&lng=12.4775&name=Trattoria%20Da%20Enzo', ENZO],
  ['Naver, a short link', 'https://naver.me/AbC', { unresolved: true }],
  ['Kakao', 'https://map.kakao.com/link/map/Trattoria%20Da%20Enzo,41.8884,12.4775', ENZO],
  ['Kakao, directions', 'https://map.kakao.com/link/to/41.8884,12.4775', SPOT],
  ['Kakao, a place', 'https://place.map.kakao.com/18577297', { unresolved: true }],
];
