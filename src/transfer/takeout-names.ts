import { searchText } from '../storage/text.ts';

/** The lists that every Google account has. */
export type BuiltInList = 'want' | 'favourites' | 'starred' | 'travel' | 'default';

// In the languages of the app, by Google and by the app itself; a comma separates names.
const LISTS: Readonly<Record<BuiltInList, string>> = {
  want: `want to go, möchte ich hin, will ich hin, möchte ich besuchen, envie d'y aller, à visiter, je veux y aller,
    quiero ir, voglio andarci, da visitare, da provare, 行ってみたい, 行きたい, 行きたい場所, hier wil ik naartoe,
    wil ik naartoe, wil ik heen, wil ik naar toe, quero ir, أريد الذهاب, أريد الذهاب إليها, أود الذهاب إليها,
    للزيارة لاحقا, أرغب في الذهاب`,
  favourites: `favourites, favorites, favourite places, favorite places, favoriten, lieblingsorte, lieblingslokale, favoris,
    lieux favoris, lieux préférés, adresses favorites, favoritos, lugares favoritos, sitios favoritos, preferiti,
    luoghi preferiti, お気に入り, お気に入りの場所, favorieten, favoriete plaatsen, favoriete locaties, locais favoritos,
    المفضلة, الأماكن المفضلة, المفضّلة`,
  starred: `starred places, starred, markierte orte, mit stern markiert, mit stern markierte orte, lieux suivis,
    lieux étoilés, adresses étoilées, adresses suivies, lugares destacados, sitios destacados, con estrella,
    luoghi speciali, luoghi con stella, speciali, スター付き, スター付きの場所, スターを付けた場所, plaatsen met ster,
    locaties met ster, met ster, lugares com estrela, locais com estrela, com estrela, marcados com estrela,
    الأماكن المميزة بنجمة, مميزة بنجمة`,
  travel: `travel plans, reisepläne, projets de voyage, plans de voyage, planes de viaje, progetti di viaggio,
    piani di viaggio, programmi di viaggio, 旅行プラン, 旅行の計画, reisplannen, planos de viagem, خطط السفر`,
  default: `default list, standardliste, liste par défaut, lista predeterminada, elenco predefinito, lista predefinita,
    デフォルト リスト, デフォルトのリスト, standaardlijst, lista padrão, القائمة التلقائية, القائمة الافتراضية`,
};

const LIST_OF_NAME: ReadonlyMap<string, BuiltInList> = new Map(
  (['want', 'favourites', 'starred', 'travel', 'default'] as const).flatMap((list) =>
    LISTS[list].split(',').map((name) => [keyOf(name), list] as const),
  ),
);

// A file that was fetched or copied again has a number behind its name.
const COPY = /\s*\(\d{1,2}\)$/;

function keyOf(name: string): string {
  return searchText(name).replace(/[ \u007f]/g, '');
}

/** The name of a list from that of its file, without its ending and the number of a copy. */
export function listNameOf(fileName: string): string {
  return fileName
    .trim()
    .replace(/\.(?:csv|tsv|txt|json|ndjson|jsonl|geojson|kml|kmz|gpx|zip)$/i, '')
    .replace(COPY, '')
    .trim();
}

/** The list of Google that has this name, in any case, also with `(1)` behind it. */
export function builtInListOf(name: string): BuiltInList | undefined {
  return LIST_OF_NAME.get(keyOf(listNameOf(name)));
}

// The beginnings of words in the names of such files, in the languages of the app.
const LABELLED =
  `label beschrift libell étiquet etiquet etichett gelabel marcador ラベル التصنيف المصنفة تصنيف`
    .split(' ')
    .map(keyOf);

/** Whether the name of a file says that its places are labelled ones, which look like any others. */
export function isLabelled(fileName: string): boolean {
  const words = searchText(listNameOf(fileName)).replaceAll('\u007f', '').split(' ');
  return LABELLED.some((stem) => words.some((word) => word.startsWith(stem)));
}

const HOME: ReadonlySet<string> = new Set(
  `dropped_pin pinned_location marked_location Markierte_Stelle Markierter_Ort Gesetzte_Markierung Repère_placé Emplacement_marqué
   Chincheta_colocada Pin_colocado Marcador_colocado Ubicación_marcada Segnaposto_inserito Indicatore_inserito Posizione_contrassegnata
   Alfinete_inserido Marcador_inserido Pino_inserido Local_marcado Geplaatste_speld Geplaatste_pin Gemarkeerde_locatie
   ドロップされたピン マークされた場所 دبوس_مثبت الموقع_المحدد
   home work Zuhause Arbeit Arbeitsplatz casa trabajo domicile maison travail lavoro 自宅 職場 勤務先 thuis werk trabalho المنزل
   العمل`
    .split(/\s+/)
    .map(keyOf),
);

// Longer than any of them.
const MAX_HOME = 30;

/** Whether a label is one that stands for a home, a place of work, or a pin that a person has put on the map without a name. */
export function isHomeLabel(name: string): boolean {
  return name.length <= MAX_HOME && HOME.has(keyOf(name));
}
