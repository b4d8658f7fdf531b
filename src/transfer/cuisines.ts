/**
 * The categories of a proposed map. `words` are English words, without accents, from the names that guides and OpenStreetMap
 * use for their cuisines and dishes; `within` is the category to merge into if there are too few rows. The first category
 * with a word of the name wins, so places come before styles.
 */
export const CUISINES: readonly (readonly [category: string, words: string, within?: string])[] = [
  ['Thai', 'thai isan'],
  ['Taiwanese', 'taiwanese'],
  [
    'Japanese',
    `japanese sushi soba ramen izakaya tempura yakitori tonkatsu udon unagi anago yoshoku kushiage oden teppanyaki
     okonomiyaki fugu shojin obanzai sukiyaki onigiri kaiseki donburi`,
  ],
  [
    'Korean',
    `korean naengmyeon mandu memil kalguksu gomtang gejang gukbap jokbal dubu bulgogi sujebi doganitang seolleongtang
     chueotang yukhoe`,
  ],
  [
    'Chinese',
    `chinese cantonese sichuan szechuan shanghainese beijing taizhou zhejiang huaiyang hunan hunanese jiangzhe shandong
     ningbo fujian hakka hakkanese teochew chiu chow chao zhou hang shun dongbei xibei xinjiang hubei yunnan yunnanese
     macanese dim dumpling dumplings congee hotpot`,
  ],
  ['Vietnamese', 'vietnamese pho', 'Asian'],
  ['Indian', 'indian pakistani nepali nepalese bangladeshi lankan curry tandoori'],
  [
    'Asian',
    'asian malaysian singaporean peranakan indonesian filipino burmese lao laotian cambodian tibetan noodle noodles',
  ],
  [
    'Italian',
    `italian piedmontese tuscan emilian campanian sicilian lombardian apulian ligurian umbrian roman calabrian venetian
     sardinian friulian mantuan tyrolean abruzzo lazio marches romagna basilicata valtellina aosta pasta trattoria`,
  ],
  ['Pizza', 'pizza pizzeria', 'Italian'],
  [
    'French',
    'french provencal alsatian savoyard breton corsican lyonnaise france bistro brasserie crepe creperie',
  ],
  ['Spanish', 'spanish catalan galician basque andalusian tapas paella'],
  ['British', 'british english scottish welsh irish gastropub pub'],
  ['Nordic', 'nordic scandinavian norwegian swedish danish finnish icelandic smorrebrod', 'International'],
  [
    'Central European',
    'german bavarian austrian swiss alpine belgian dutch polish czech hungarian',
    'International',
  ],
  ['Greek', 'greek', 'Mediterranean'],
  ['Portuguese', 'portuguese', 'Mediterranean'],
  ['Mediterranean', 'mediterranean'],
  [
    'Middle Eastern',
    'middle turkish lebanese syrian persian iranian israeli arab emirati afghan kebab falafel moroccan tunisian',
  ],
  ['African', 'african ethiopian eritrean'],
  ['Mexican', 'mexican mex taco tacos burrito'],
  ['Latin American', 'latin peruvian brazilian argentinian cuban colombian venezuelan caribbean jamaican'],
  ['Steak and grill', 'steak steakhouse barbecue bbq grill grills meat meats beef'],
  ['Burgers and fast food', 'burger burgers fast sandwich sandwiches chicken fries'],
  ['American', 'american californian creole cajun southern diner'],
  ['Seafood', 'seafood fish crab oyster oysters lobster'],
  ['Vegetarian and vegan', 'vegetarian vegan organic'],
  ['Café and bakery', 'cafe coffee tea bakery pastry cake dessert ice breakfast brunch donut'],
  ['Street food', 'street eats snack deli'],
  ['Creative', 'creative innovative fusion'],
  ['International', 'international world european'],
  ['Traditional', 'traditional classic country regional market seasonal home local'],
  ['Modern', 'modern contemporary'],
];
