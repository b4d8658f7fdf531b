import { searchText } from '../storage/text.ts';

/**
 * The names that sources call a thing by, most trusted first: our own, those of OpenStreetMap, All The Places, Overture Maps,
 * Foursquare, Yelp and Google, and the header words of tables in the languages of the app. Case, accents, blanks and
 * punctuation do not matter.
 */
const NAMES = {
  // The id of an export, which means nothing to another catalogue.
  id: 'id',
  name: `name title names.primary displayName.text displayName business_name business place_name venue_name venue
    restaurant_name restaurant card_name name_of_the_restaurant itemLabel official_name int_name name:en Lokal Lokalname
    Restaurantname Name_des_Restaurants Name_des_Lokals Bezeichnung Titel nombre nombre_del_restaurante
    nombre_del_lugar nombre_del_local restaurante lugar título nom nom_du_restaurant nom_du_lieu
    nom_de_l'établissement établissement lieu titre nome nome_del_ristorante nome_locale nome_del_locale nome_del_luogo
    ristorante titolo nome_do_restaurante nome_do_lugar nome_do_local estabelecimento naam naam_restaurant
    naam_van_het_restaurant restaurantnaam 店名 店舗名 お店 お店の名前 名前 名称 レストラン レストラン名 施設名 タイトル الاسم اسم اسم_المطعم اسم_المكان
    المطعم`,
  description: `description card_description note notes remarks summary about desc cmt user_comment details info
    editorialSummary.text Beschreibung Notiz Notizen Bemerkung Bemerkungen Anmerkung Anmerkungen descripción nota
    notas observaciones remarque remarques descrizione osservazioni descrição anotação anotações observação
    observações beschrijving omschrijving notitie notities opmerking opmerkingen 説明 メモ 備考 الوصف وصف ملاحظة ملاحظات`,
  comment: `comment comments Kommentar Kommentare comentario comentarios commentaire commentaires commento
    commenti comentário comentários コメント تعليق تعليقات`,
  address: `address addr:full full_address venue_address formatted_address formattedAddress location.formatted_address
    location.address1 location.address address_obj.address_string postal_address Adresse Anschrift vollständige_Adresse dirección
    dirección_completa domicilio adresse_complète adresse_postale indirizzo indirizzo_completo endereço
    endereço_completo morada adres volledig_adres 住所 所在地 العنوان عنوان عنوان_المطعم`,
  street: `addr:street_address street_address streetAddress address.streetAddress addresses.freeform addr:street
    street road street_name address_line_1 address1 Straße Str Straße_und_Hausnummer Straße_und_Nr Straße_Hausnummer
    Straße_Nr calle rue voie via rua logradouro straat straatnaam 町名 番地以下 الشارع شارع`,
  house_number: `addr:housenumber house_number housenumber street_number addr:conscriptionnumber addr:housename
    Hausnummer Hausnr número número_de_calle numéro_de_rue numéro numero_civico civico huisnummer 番地 رقم_المبنى`,
  unit: `addr:unit unit suite extended_address address_line_2 address2 location.address2 addr:flats`,
  place: `addr:place addr:hamlet`,
  district: `district addr:suburb addr:quarter addr:neighbourhood addr:district neighborhood neighbourhood
    Stadtteil Bezirk barrio colonia quartier quartiere bairro wijk 町域 الحي`,
  postcode: `postcode addr:postcode postal_code zip zip_code addresses.postcode location.postcode
    location.zip_code address.postalCode postalCode PLZ Postleitzahl código_postal CP code_postal CAP
    codice_postale CEP 郵便番号 الرمز_البريدي`,
  city: `city town addr:city addr:town addr:village locality addresses.locality location.locality location.city
    address.addressLocality addressLocality municipality Ort Stadt Wohnort ciudad localidad municipio ville
    commune città comune cidade município stad woonplaats plaats 市区町村 都市 市 المدينة مدينة`,
  region: `region state province addr:state addr:province addresses.region location.region location.state
    address.addressRegion addressRegion county Bundesland Kanton provincia département région regione UF provincie
    都道府県 المنطقة المحافظة`,
  country: `country addr:country country_code addresses.country location.country address.addressCountry
    addressCountry Land país pays paese nazione 国 الدولة البلد`,
  phone: `phone contact:phone phone_number telephone tel phones phoneNumber formatted_phone_number display_phone
    international_phone_number internationalPhoneNumber nationalPhoneNumber mobile contact:mobile phone:mobile
    Telefon Telefonnummer Telefonnr Tel_Nr Rufnummer Mobil Handy teléfono número_de_teléfono móvil celular
    téléphone numéro_de_téléphone portable telefono numero_di_telefono cellulare telefone número_de_telefone fone
    telefoon telefoonnummer 電話 電話番号 الهاتف هاتف رقم_الهاتف الجوال`,
  website: `website contact:website website_url url websites web homepage web_site websiteUri link site uri Webseite Internet
    Internetseite Internetadresse sitio_web página_web site_web site_internet sito sito_web sito_internet sitio
    ウェブサイト ホームページ 公式サイト サイト الموقع_الإلكتروني موقع_الويب الرابط رابط`,
  map_link: `google_maps_url Google_Maps_URL googleMapsUri maps_url map_url google_maps_link google_maps maps_link
    map_link`,
  latitude: `latitude lat @lat geo_lat gps_lat coordinates.latitude coordinate.latitude geocodes.main.latitude geometry.location.lat
    location.lat location.latitude geo.latitude Breitengrad geographische_Breite geografische_Breite Breite
    latitud latitudine breedtegraad 緯度 خط_العرض y`,
  longitude: `longitude lng lon long @lon geo_lng geo_lon gps_lng gps_lon coordinates.longitude coordinate.longitude
    geocodes.main.longitude geometry.location.lng location.lng location.longitude geo.longitude Längengrad
    geographische_Länge geografische_Länge Länge longitud longitudine lengtegraad 経度 خط_الطول x`,
  position: `position coordinates coords coord coordinate_location wkt geom the_geom lat_lng lat_lon
    lat_long latitude_longitude gps gps_coordinates geo_point geo_point_2d geolocation Koordinaten Standort coordenadas
    ubicación coordonnées coordonnées_gps coordinate posizione posição coördinaten locatie 座標 位置 緯度経度 الإحداثيات
    الموقع`,
  google_place_id: `google_place_id external_ids.google google_id place_id googlePlaceId`,
  'external_ids.osm': `external_ids.osm osm`,
  osm_id: `@id osm_id`,
  osm_type: `osm_type @type`,
  'external_ids.fsq': `external_ids.fsq fsq_place_id fsq_id foursquare_id`,
  'external_ids.overture': `external_ids.overture overture_id gers_id`,
  'external_ids.wikidata': `external_ids.wikidata wikidata wikidata_id`,
  external_ids: 'external_ids',
  category: `category categories.primary taxonomy.primary basic_category primary_category category_name
    primaryTypeDisplayName.text Kategorie categoría catégorie categoria categorie カテゴリ カテゴリー الفئة التصنيف`,
  food_types: `food_types food_type Essensarten tipos_de_comida types_de_cuisine tipi_di_cucina soorten_eten 料理の種類
    أنواع_الطعام`,
  cuisine: `cuisine cuisines cuisine_type cuisine_style type_of_cuisine type_of_food kitchen servesCuisine categories categories.title
    categories.name fsq_category_labels Küche Küchen Küchenrichtung Art_der_Küche cocina cocinas tipo_de_cocina
    type_de_cuisine tipo_di_cucina tipo_de_cozinha cucina cozinha culinária keuken 料理 ジャンル المطبخ`,
  price_level: `price_level priceLevel RestaurantsPriceRange2 attributes.RestaurantsPriceRange2 Preisniveau
    Preisklasse nivel_de_precio niveau_de_prix livello_di_prezzo nível_de_preço prijsniveau مستوى_السعر`,
  price: `price avg_price average_price price_range priceRange Preis Preise gamme_de_prix fourchette_de_prix rango_de_precios fascia_di_prezzo faixa_de_preço
    prijsklasse precio precios prix prezzo prezzi preço preços prijs prijzen 価格 価格帯 予算 السعر`,
  opening_hours: `opening_hours hours openingHours Öffnungszeiten horario horarios horario_de_apertura
    horarios_de_apertura heures_d'ouverture horaires horaires_d'ouverture orari orario orari_di_apertura
    orario_di_apertura horário horários horário_de_funcionamento openingstijden openingsuren 営業時間 ساعات_العمل
    أوقات_العمل`,
  time_zone: `time_zone timezone tz Zeitzone zona_horaria fuseau_horaire fuso_orario fuso_horário tijdzone タイムゾーン
    المنطقة_الزمنية`,
  diets: 'diets Ernährung dietas régimes diete dieet',
  'diets.vegan': 'diets.vegan diet:vegan vegan vegano végan',
  'diets.vegetarian': 'diets.vegetarian diet:vegetarian vegetarian vegetarisch vegetariano végétarien',
  'diets.gluten_free': 'diets.gluten_free diet:gluten_free gluten_free glutenfrei',
  'diets.halal': 'diets.halal diet:halal halal',
  'diets.kosher': 'diets.kosher diet:kosher kosher koscher casher',
  'diets.lactose_free': 'diets.lactose_free diet:lactose_free lactose_free laktosefrei',
  status: `status operating_status business_status businessStatus operational_status closed_bucket Zustand
    situação statut 営業状況 الحالة`,
  closed: `closed is_closed permanently_closed is_permanently_closed closed_permanently closed_at date_closed closed_on end_date closing_date disused abandoned
    demolished geschlossen dauerhaft_geschlossen cerrado cerrado_permanentemente fermé fermé_définitivement
    définitivement_fermé chiuso chiuso_definitivamente fechado fechado_permanentemente permanentemente_fechado gesloten
    permanent_gesloten definitief_gesloten 閉店 閉業 مغلق`,
  paused: `temporarily_closed is_temporarily_closed closed_temporarily vorübergehend_geschlossen cerrado_temporalmente
    fermé_temporairement temporairement_fermé chiuso_temporaneamente temporariamente_fechado tijdelijk_gesloten 休業中 臨時休業`,
  open: `open is_open is_active active geöffnet offen abierto ouvert aperto aberto مفتوح`,
  // Says that a place is gone, unless the record also has a tag for the place that is there now.
  former: `disused:amenity abandoned:amenity was:amenity demolished:amenity removed:amenity razed:amenity
    closed:amenity disused:name was:name abandoned:name demolished:name removed:name disused:shop disused:cuisine`,
  present: 'amenity',
  // When a record of another catalogue was written there says nothing about ours, so that `date_created` is none of these.
  created_at: `created_at created date_added added_on added erstellt erstellt_am angelegt_am creado
    fecha_de_creación créé_le date_de_création creato_il data_di_creazione criado_em data_de_criação aangemaakt_op
    作成日 作成日時 登録日 تاريخ_الإنشاء`,
  updated_at: `updated_at updated modified last_modified aktualisiert geändert_am actualizado
    fecha_de_actualización mis_à_jour_le aggiornato_il atualizado_em bijgewerkt_op 更新日 更新日時 تاريخ_التحديث`,
  ratings: 'ratings',
  food_rating: 'food_rating',
  service_rating: 'service_rating',
  ambiance_rating: 'ambiance_rating',
  brand: 'brand brand.names.primary names.brand',
  branch: 'branch Filiale sucursal succursale filiaal filial 支店 فرع',
} as const;

/** Our fields, and those that stand for a field or a part of one. */
export type Target = keyof typeof NAMES;

/** A thing that a source calls by a name. */
export interface Named {
  readonly target: Target;
  /** Of several names for one target in a record, the lowest with a value counts. */
  readonly rank: number;
}

const TARGETS = Object.keys(NAMES).filter((key): key is Target => key in NAMES);
const BY_KEY: ReadonlyMap<string, Named> = new Map(
  TARGETS.flatMap((target) =>
    NAMES[target]
      .split(/\s+/)
      .flatMap((name, rank) =>
        [name, withoutUmlauts(name)].map((one) => [keyOf(one), { target, rank }] as const),
      ),
  ).toReversed(),
);

/** As German is typed without umlauts. */
function withoutUmlauts(name: string): string {
  return name.replace(/[äöü]/gi, (letter) => `${searchText(letter)}e`);
}

function keyOf(name: string): string {
  const words = searchText(name).replace(/[ \u007f]/g, '');
  // Overpass marks its own names, `@id` among tags that may be called `id`.
  return /^\s*@/.test(name) ? `@${words}` : words;
}

// Where records have the place within an object, its values count less than their own.
const WITHIN = /^(?:venue|place|restaurant|business|fields|tags|attributes|geometry|address|location)\./;
const MOST_RANKS = 1_000;
// More names than real files have: what follows is looked up each time.
const MOST_NAMES = 10_000;

/** What the names of a file stand for; remembers them, as records have the same names again and again. */
export class NameReader {
  readonly #known = new Map<string, Named | undefined>();

  /** Undefined for a name that is not known. */
  targetOf(name: string): Named | undefined {
    if (this.#known.has(name)) return this.#known.get(name);
    const within = WITHIN.test(name) ? this.targetOf(name.slice(0, 255).replace(WITHIN, '')) : undefined;
    const named =
      BY_KEY.get(keyOf(name.slice(0, 255))) ?? (within && { ...within, rank: within.rank + MOST_RANKS });
    if (this.#known.size < MOST_NAMES) this.#known.set(name, named);
    return named;
  }
}
