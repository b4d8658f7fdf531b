import { searchText } from '../../storage/text.ts';

// Traditional characters that names and addresses of restaurants often have, each before its simplified form.
const SIMPLIFIED = new Map(
  (
    '飯饭館馆廳厅樓楼園园麵面龍龙記记東东島岛灣湾雞鸡魚鱼鍋锅燒烧鮮鲜麗丽華华國国門门會会寶宝點点號号臺台廣广貴贵雲云' +
    '鳳凤馬马鐘钟銀银錦锦興兴齋斋軒轩蘭兰蓮莲橋桥灘滩滿满豐丰慶庆聯联萬万壽寿義义達达陽阳陳陈張张劉刘黃黄葉叶楊杨莊庄軍军' +
    '區区縣县縱纵場场廚厨滷卤醬酱醫医饌馔鴨鸭鵝鹅蝦虾蠔蚝貝贝開开關关舊旧頭头爺爷媽妈業业僑侨誠诚榮荣發发財财運运來来' +
    '麺面広广沢泽澤泽桜樱櫻樱竜龙鶏鸡豊丰栄荣浜滨濱滨斎斋辺边邊边恵惠気气氣气焼烧塩盐鹽盐舗铺鋪铺関关' +
    '時时書书畫画風风飛飞鶴鹤鳥鸟燈灯熱热涼凉溫温湯汤粵粤滬沪豬猪羅罗漢汉譚谭薩萨賓宾圓圆團团環环靜静爾尔買买賣卖'
  )
    .match(/../gu)
    ?.map((pair) => [pair.charAt(0), pair.charAt(1)] as const),
);

// Greek and Cyrillic letters without accents, in the order of their alphabets, as travellers write them.
const LATIN = new Map(
  `α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s τ t υ y φ f χ ch ψ ps ω o
    а a б b в v г g ґ g д d е e є e ж zh з z и i і i ј j к k л l љ lj м m н n њ nj о o п p р r с s т t ћ c у u ф f х kh ц ts ч ch
    џ dz ш sh щ sht ъ - ы y ь - э e ю yu я ya`
    .match(/\S+ \S+/gu)
    ?.map((pair) => [pair.charAt(0), pair.slice(2).replace('-', '')] as const),
);

const PLAIN = /^[a-z0-9 .,'&/()#:!-]*$/i;

/**
 * `searchText` with one form for katakana and hiragana, for traditional and simplified characters, and for Greek, Cyrillic and
 * Latin letters.
 */
export function fold(text: string): string {
  // Most texts, in a fifth of the time.
  if (PLAIN.test(text))
    return text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .trim();
  return searchText(text)
    .replace(/ου/g, 'ou')
    .replace(/[\u0370-\u04ff]/g, (letter) => LATIN.get(letter) ?? letter)
    .replace(/[\u30a1-\u30f6]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x60))
    .replace(/[\u4e00-\u9fff]/g, (character) => SIMPLIFIED.get(character) ?? character)
    .replace(/\u007f?ー/g, '');
}

/**
 * What a place is, by words that say little about which place is meant. Each line is a class: a café and a bar of one name are
 * two places sooner than a trattoria and an osteria. Words of one kind are separated by spaces, kinds by commas.
 */
const KINDS = [
  `restaurant restaurante restaurants restaurang ristorante ristoranti restoran restauracja restaurace restauracia ravintola
    ресторан ресторант εστιατοριο レストラン 餐厅 餐馆 菜馆 饭店 饭馆 酒楼 酒家 食堂 식당 레스토랑 מסעדה מסעדת مطعم ร้านอาหาร
    本店 본점 etterem eatery dining, trattoria, osteria hosteria hostaria, locanda, taverna ταβερνα таверна taverne tavern,
    gasthaus gasthof gaststatte gastwirtschaft wirtshaus, lokanta lokantasi, meyhane, tasca, meson, cantina, cervejaria
    cerveceria, marisqueira marisqueria,
    kitchen cucina cocina cuisine, diner, hotel`,
  `bistro bistrot бистро, brasserie brauhaus, bodega, stube stuberl`,
  `cafe caffe coffee kaffee kafe cafeteria kaffeehaus kavarna kawiarnia кафе καφε καφενειο カフェ 咖啡 咖啡厅 咖啡馆 喫茶店
    카페, konditorei patisserie pasticceria, tearoom teahouse`,
  `bar バー 酒吧 бар, pub, enoteca vinoteca winebar, izakaya 居酒屋, lounge, taproom`,
  `pizzeria pizza пиццерия`,
  `bakery boulangerie panaderia backerei forno`,
  `grill grille grillroom, steakhouse, asador churrascaria parrilla rotisserie, bbq barbecue`,
];
// A house often has a second room of its name, which is called so.
const ROOMS = ['bistro', 'brasserie', 'bodega', 'stube', 'bar', 'lounge'];

/** A kind of place, and the class of kinds that it belongs to. */
export interface PlaceKind {
  readonly kind: string;
  /** Its class. */
  readonly of: number;
  /** Whether it may be a second room of a house. */
  readonly isRoom: boolean;
}

const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);

export const KIND_OF: ReadonlyMap<string, PlaceKind> = new Map(
  KINDS.flatMap((line, of) =>
    line.split(',').flatMap((names) => {
      const all = words(names).map((word) => fold(word).replaceAll('\u007f', ''));
      return all.map(
        (word) => [word, { kind: all[0] ?? word, of, isRoom: ROOMS.includes(all[0] ?? word) }] as const,
      );
    }),
  ),
);

/** Articles and prepositions, which join the words of names and streets. */
export const JOINTS: ReadonlySet<string> = new Set(
  words(`the a an and of at on in by to le la les l d el los las lo il i gli der die das den dem und zum zur am im bei et du des de
    del dell della delle dei degli di da dal al alla allo ai ad y e o os as do dos em na w u ve och og chez aux au von van het`),
);

/** Words for kinds of streets, for directions, and in front of house numbers. */
export const STREETS: ReadonlySet<string> = new Set(
  words(`st str street strasse ave av avenue avenida avda blvd blv boulevard bd bld bul rd road dr drive ln lane pl place plaza plz
    platz piazza pza za zza piazzale via viale vicolo vle corso largo rue quai calle c cl carrer carretera passeig paseo pg rua
    travessa praca pc ul ulica ulice aleja aleje ал улица ул проспект просп пр вул площадь пл trg gasse allee weg straat gade
    hwy highway pkwy parkway sq square ct court ter terrace sokak sokagi sok sk cadde caddesi cad cd mahallesi mah bulvari no nr
    num numero nº д дом street οδος leoforos n s e w ne nw se sw north south east west soi thanon jl jalan ut utca lg bis 路 街 道 段 号 弄 巷`),
);

/** Numbers of streets as words. */
export const ORDINALS: ReadonlyMap<string, string> = new Map(
  words('first second third fourth fifth sixth seventh eighth ninth tenth').map((word, index) => [
    word,
    `${index + 1}${['st', 'nd', 'rd'][index] ?? 'th'}`,
  ]),
);

/** Sites with pages of many places. */
export const SHARED_SITES =
  /(?:^|\.)(?:facebook|fb|instagram|tripadvisor|yelp|google|goo|foursquare|opentable|resy|thefork|lafourchette|quandoo|linktr|tabelog|gurunavi|gnavi|hotpepper|ubereats|deliveroo|doordash|naver|kakao|dianping|openrice|zomato|swiggy|booking|wolt|bit|business|sites|wixsite|wordpress|blogspot|weebly|squarespace|x|twitter|tiktok)\.[a-z.]+$/;
