/**
 * What the data of two places let a careful person say: certainly the same, maybe the same, not the same, or so far
 * apart that the two are not even worth a look.
 */
export type Label = 'same' | 'maybe' | 'different' | 'unlike';

export interface Sample {
  readonly name: string;
  readonly address: string | null;
  readonly phone: string | null;
  readonly website: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly external_ids: Readonly<Record<string, string | null>>;
  readonly google_place_id: string | null;
}

export interface Pair {
  readonly label: Label;
  readonly why: string;
  readonly a: Sample;
  readonly b: Sample;
}

// Each pair is a line with its label and what it shows, followed by a line for each place: name, address, phone, website,
// coordinates and ids. `-` stands for what is missing.
const TABLE = `
# Italy
same: kind word before, number in the name
Da Enzo al 29 | Via dei Vascellari, 29, 00153 Roma RM, Italy | +39 06 581 2260 | http://www.daenzoal29.com/ | 41.88822,12.47756
Trattoria Da Enzo | Via dei Vascellari 29, Roma | 06 5812260 | - | 41.8882,12.4775
same: a longer name, two numbers, dots in the phone
Roscioli Salumeria con Cucina | Via dei Giubbonari 21/22, Roma | 06.6875287 | - | 41.89402,12.47405
Roscioli | Via dei Giubbonari, 21, 00186 Roma RM | +39 06 687 5287 | https://www.salumeriaroscioli.com/ | 41.89405,12.47411
different: one family, around the corner
Antico Forno Roscioli | Via dei Chiavari 34, Roma | 06 686 4045 | https://www.anticofornoroscioli.it | 41.89438,12.47433
Roscioli | Via dei Giubbonari, 21, 00186 Roma RM | 06 687 5287 | https://www.salumeriaroscioli.com/ | 41.89405,12.47411
different: a common name in two cities
Da Enzo | Via dei Vascellari 29, Roma | 06 5812260 | - | 41.8882,12.4775
Da Enzo | Via Toledo 104, Napoli | 081 552 3410 | - | 40.8441,14.2489
different: differing kind words at other numbers
Trattoria Roma | Via Nazionale 12, Firenze | 055 215 667 | - | 43.7772,11.2521
Pizzeria Roma | Via Nazionale 40, Firenze | 055 298 311 | - | 43.7781,11.2513
same: article with and without apostrophe, P.za
L'Osteria del Porto | P.za Garibaldi 4, Camogli | - | - | 44.34921,9.15428
Losteria del Porto | Piazza Giuseppe Garibaldi, 4, 16032 Camogli GE | - | - | 44.3493,9.1542
same: accents, case, a year in the name, a red number
CAFFÈ GILLI 1733 | Via Roma, 1R, 50123 Firenze FI | +39 055 213896 | http://www.gilli.it/ | 43.77152,11.25446
Caffe Gilli | Via Roma 1r, Florence | 055/213896 | - | 43.7716,11.2545
different: branches opposite each other with one phone and one website
All'Antico Vinaio | Via dei Neri 65r, Firenze | 055 238 2723 | https://www.allanticovinaio.com | 43.76843,11.25719
All'Antico Vinaio | Via dei Neri 76r, Firenze | 055 238 2723 | https://www.allanticovinaio.com | 43.76832,11.25745
same: a typo, with the same phone and address
Osteria Francescana | Via Stella 22, 41121 Modena | +39 059 223912 | https://osteriafrancescana.it/ | 44.64481,10.92150
Osteria Franciscana | Via Stella, 22, Modena | 059223912 | - | -
different: two restaurants of a hotel
La Terrazza | Hotel Eden, Via Ludovisi 49, Roma | 06 4781 2752 | https://www.dorchestercollection.com/rome/hotel-eden | 41.90695,12.48711
Il Giardino Ristorante | Hotel Eden, Via Ludovisi 49, Roma | 06 4781 2752 | https://www.dorchestercollection.com/rome/hotel-eden | 41.90695,12.48711
same: V.le, a shorter name
Trattoria Masuelli San Marco | Viale Umbria 80, Milano | 02 55184138 | - | 45.4561,9.2134
Masuelli | V.le Umbria, 80, 20135 Milano MI | +39 02 5518 4138 | http://www.masuellitrattoria.com/ | 45.45598,9.21347
maybe: one has only its name
Osteria al Ponte | - | - | - | -
Osteria al Ponte | Via Vignolese 14, Modena | 059 361 122 | - | 44.6402,10.9395
maybe: another name at the same address with the same phone
Trattoria da Gigi | Via Garibaldi 5, Lucca | 0583 467266 | - | 43.84313,10.50801
Vineria Santa Zita | Via Garibaldi, 5, 55100 Lucca LU | +39 0583 467266 | - | 43.84310,10.50799
same: no phone, the number before the street
Antica Pizzeria da Michele | 1 Via Cesare Sersale, Naples | - | http://damichele.net | 40.8497,14.26333
L'Antica Pizzeria Da Michele | Via Cesare Sersale, 1, 80139 Napoli NA | - | https://www.damichele.net/?lang=en | 40.84975,14.26329
different: pizzerias next door that differ in their rare word
Pizzeria Sorbillo | Via dei Tribunali 32, Napoli | 081 446643 | - | 40.85026,14.25523
Pizzeria Di Matteo | Via dei Tribunali 94, Napoli | 081 455262 | - | 40.85121,14.25847

# Spain
same: C/ and Calle de la
Casa Lucio | C/ Cava Baja, 35, 28005 Madrid | 913 65 32 52 | http://www.casalucio.es/ | 40.41259,-3.70939
Restaurante Casa Lucio | Calle de la Cava Baja 35, Madrid | +34 913653252 | - | 40.4126,-3.7093
same: & and y
Sal & Pimienta | C. Feria 61, Sevilla | - | - | 37.39836,-5.99162
Sal y Pimienta | Calle Feria, 61, 41003 Sevilla | 954 90 12 87 | - | 37.39841,-5.99155
same: Pl. and Plaça
Cal Pep | Plaça de les Olles, 8, Barcelona | +34 933 10 79 61 | https://www.calpep.com/es/ | 41.38378,2.18284
Cal Pep | Pl. de les Olles 8, 08003 Barcelona | 93 310 79 61 | www.calpep.com | -
same: the street in two languages, with the same phone and number
Bar Néstor | Arrandegi Kalea, 11, 20003 Donostia | 943 42 48 73 | - | 43.32434,-1.98411
Bar Nestor | Calle Pescadería 11, San Sebastián | +34 943 424 873 | - | 43.3244,-1.9840
same: street words in another order
Asador Etxebarri | San Juan Plaza 1, 48291 Axpe, Bizkaia | +34 946 58 30 42 | http://asadoretxebarri.com/ | 43.11505,-2.59671
Etxebarri | Plaza de San Juan, 1, Atxondo | 946583042 | https://asadoretxebarri.com | 43.1151,-2.5966
different: a chain on one street
100 Montaditos | Calle Mayor 22, Madrid | 902 197 494 | https://spain.100montaditos.com | 40.41597,-3.70622
100 Montaditos | Calle Mayor 61, Madrid | 902 197 494 | https://spain.100montaditos.com | 40.41560,-3.70975
different: a common name in two cities
Casa Pepe | Calle de Atocha 20, Madrid | - | - | 40.4136,-3.7028
Casa Pepe | Calle Betis 11, Sevilla | - | - | 37.3853,-6.0020
maybe: one has only its name and city
El Rincón de Ana | Bilbao | - | - | -
Rincon de Ana | Calle Ledesma 8, Bilbao | 944 23 11 09 | - | 43.26301,-2.92969
different: the two restaurants of one house
Tickets Bar | Avinguda del Paral·lel, 164, Barcelona | 932 92 42 50 | https://elbarriadria.com | 41.37521,2.15657
Bodega 1900 | Carrer de Tamarit, 91, Barcelona | 933 25 26 59 | https://elbarriadria.com | 41.37549,2.15698

# France, Belgium, Netherlands
same: Bd St and Boulevard Saint
Café de Flore | 172 Bd St-Germain, 75006 Paris | 01 45 48 55 26 | https://cafedeflore.fr | 48.85416,2.33262
Cafe de flore | 172, boulevard Saint-Germain, Paris | +33 1 45 48 55 26 | http://www.cafedeflore.fr/accueil/ | 48.8541,2.3326
same: Chez before the name
Chez L'Ami Jean | 27 Rue Malar, 75007 Paris | +33 1 47 05 86 89 | - | 48.85963,2.30649
L'Ami Jean | 27, rue Malar, Paris | 01.47.05.86.89 | http://lamijean.fr | 48.8596,2.3065
same: ligature and article
Le Bœuf sur le Toit | 34 rue du Colisée, Paris | 01 53 93 65 55 | - | 48.87259,2.31023
BOEUF SUR LE TOIT | 34 Rue du Colisee, 75008 Paris, France | 0153936555 | - | 48.87262,2.31015
same: 29 bis with and without a blank
Au Vieux Comptoir | 29bis rue des Lavandières, Lyon | - | - | 45.76301,4.83571
Au Vieux Comptoir | 29 bis, Rue des Lavandières, 69002 Lyon | - | - | 45.76304,4.83566
different: two restaurants that share the name of their hotel
Restaurant Le Meurice Alain Ducasse | 228 rue de Rivoli, Paris | +33 1 44 58 10 55 | https://www.dorchestercollection.com/en/paris/le-meurice/ | 48.86529,2.32806
Restaurant Le Dalí - Le Meurice | 228 Rue de Rivoli, 75001 Paris | +33 1 44 58 10 55 | https://www.dorchestercollection.com/fr/paris/le-meurice/ | 48.8653,2.3281
different: names that share one word
L'Entrecôte | 15 Rue Marbeuf, Paris | 01 49 52 07 17 | - | 48.86770,2.30372
Le Relais de l'Entrecôte | 101 Boulevard du Montparnasse, Paris | 01 46 33 82 82 | - | 48.84239,2.33011
unlike: neighbours on a street of restaurants
Le Petit Cler | 29 Rue Cler, 75007 Paris | 01 45 50 17 50 | - | 48.85691,2.30614
Café du Marché | 38 Rue Cler, 75007 Paris | 01 47 05 51 27 | - | 48.85652,2.30646
different: one name and number at the quays of two harbours
Bistrot du Port | 12 quai des Baux, Cassis | - | - | 43.2141,5.5372
Bistrot du Port | 12 quai Sainte-Catherine, Honfleur | - | - | 49.4205,0.2328
unlike: only facebook.com in common
Le Comptoir Gourmand | 8 Rue Mercière, Lyon | - | https://www.facebook.com/comptoirgourmandlyon | 45.76363,4.83428
Chez Mounier | 3 Rue des Marronniers, Lyon | - | https://www.facebook.com/chezmounier | 45.75690,4.83416
same: Facebook here and a website there
Les Fines Gueules | 16 Rue Lainerie, Lyon | 04 78 28 99 14 | https://www.facebook.com/finesgueules | 45.76593,4.82743
Restaurant Les Fines Gueules | 16 rue Lainerie, 69005 Lyon | +33 4 78 28 99 14 | https://www.fines-gueules.fr/ | 45.7659,4.8275
same: French and Flemish street, with the same phone and number
Chez Léon | Rue des Bouchers 18, 1000 Bruxelles | +32 2 511 14 15 | https://chezleon.be/ | 50.84772,4.35401
Chez Leon | Beenhouwersstraat 18, Brussel | 02 511 14 15 | https://www.chezleon.be/nl/ | 50.8477,4.3540
unlike: neighbours on a street of restaurants
Aux Armes de Bruxelles | Rue des Bouchers 13, 1000 Bruxelles | 02 511 55 50 | - | 50.84762,4.35390
Chez Léon | Rue des Bouchers 18, 1000 Bruxelles | 02 511 14 15 | - | 50.84772,4.35401
same: 't
Café 't Smalle | Egelantiersgracht 12, 1015 RL Amsterdam | +31 20 623 9617 | - | 52.37609,4.88411
Cafe t Smalle | Egelantiersgracht 12, Amsterdam | 020-6239617 | - | 52.3761,4.8841
different: the hotel's restaurant and its bar, with one phone
Bord'Eau | Nieuwe Doelenstraat 2, Amsterdam | 020 531 1777 | https://www.deleurope.com | 52.36767,4.89446
Freddy's Bar | Nieuwe Doelenstraat 2-14, 1012 CP Amsterdam | 020 531 1777 | https://www.deleurope.com/bar | 52.36769,4.89450

# Germany, Austria, Switzerland
same: a range of numbers
Zur letzten Instanz | Waisenstraße 14-16, 10179 Berlin | +49 30 2425528 | https://zurletzteninstanz.com | 52.51773,13.41304
Zur Letzten Instanz | Waisenstr. 14, Berlin | 030 / 242 55 28 | - | 52.5177,13.4131
same: Str., a letter after the number, the town's longer name, an extension
Gasthaus Krone | Hauptstr. 12a, 79104 Freiburg | 0761/51230-0 | - | 48.00412,7.85931
Krone | Hauptstraße 12 A, Freiburg im Breisgau | +49 761 512300 | - | 48.0041,7.8593
different: related names next door
Gasthof Löwen | Hauptstr. 29, Staufen | 07633 9089390 | - | 47.88182,7.72969
Löwen-Stüble | Hauptstr. 29a, Staufen | 07633 5211 | - | 47.88190,7.72975
same: ü and ue
Zum Grünen Baum | Marktplatz 3, Rothenburg | - | - | 49.37702,10.17891
Zum Gruenen Baum | Marktplatz 3, 91541 Rothenburg ob der Tauber | - | - | 49.37698,10.17885
same: & and und
Speis & Trank | Lange Straße 31, 04103 Leipzig | 0341 2256310 | http://speisundtrank-leipzig.de | -
Speis und Trank | Lange Strasse 31, Leipzig | +49 341 2256310 | - | 51.33871,12.38902
same: (0), the city in English
Augustiner-Keller | Arnulfstraße 52, 80335 München | +49 (0)89 594393 | - | 48.14320,11.55133
Augustiner Keller | Arnulfstr. 52, Munich | 089/594393 | - | 48.1433,11.5512
different: one brewery, two houses
Augustiner-Keller | Arnulfstraße 52, 80335 München | 089 594393 | - | 48.14320,11.55133
Augustiner Bräustuben | Landsberger Str. 19, 80339 München | 089 507047 | - | 48.13937,11.54570
different: branches of a chain with one website
Vapiano | Mittelstraße 51, 10117 Berlin | 030 50154100 | https://de.vapiano.com/de/restaurants/berlin-mittelstrasse | 52.51873,13.38818
Vapiano | Potsdamer Platz 5, 10785 Berlin | 030 23005005 | https://de.vapiano.com/de/restaurants/berlin-potsdamer-platz | 52.50983,13.37480
same: the street in the name
Figlmüller | Wollzeile 5, 1010 Wien | +43 1 512 61 77 | https://figlmueller.at/ | 48.20909,16.37487
Figlmueller an der Wollzeile | Wollzeile 5, Vienna | 01 5126177 | https://www.figlmueller.at/en/ | 48.2091,16.3749
different: two houses around the corner with one phone and one website
Figlmüller | Wollzeile 5, 1010 Wien | 01 5126177 | https://figlmueller.at/ | 48.20909,16.37487
Figlmüller | Bäckerstraße 6, 1010 Wien | 01 5126177 | https://figlmueller.at/ | 48.20945,16.37565
same: the website's scheme and path
Kronenhalle | Rämistrasse 4, 8001 Zürich | +41 44 262 99 00 | https://www.kronenhalle.com/de/restaurant | 47.36722,8.54573
Restaurant Kronenhalle | Rämistr. 4, Zurich | 044 262 99 00 | http://kronenhalle.com | 47.3672,8.5457
different: two rooms of an inn
Hirschen - Gourmetstube | Dorfstraße 8, Hinterzarten | 07652 91820 | https://www.hirschen-hinterzarten.de | 47.90412,8.10533
Hirschen - Bauernstube | Dorfstraße 8, Hinterzarten | 07652 91820 | https://www.hirschen-hinterzarten.de | 47.90412,8.10533
maybe: a house that may have a bistro as well
Villa Aurora | Quai du Rhône 3, Vevey | 021 922 33 44 | https://www.villa-aurora.ch | 46.46010,6.84270
Villa Aurora - Bistrot | Quai du Rhône 3, Vevey | 021 922 33 44 | https://www.villa-aurora.ch | 46.46012,6.84270
maybe: one name in one town, of which one lacks everything else
Gasthaus zur Post | Kufstein | - | - | -
Gasthof zur Post | Unterer Stadtplatz 20, 6330 Kufstein | 05372 62343 | - | 47.58247,12.16831

# Portugal, Greece
same: Av. nº 1 H
Cervejaria Ramiro | Av. Almirante Reis nº1 H, 1150-007 Lisboa | +351 21 885 1024 | https://www.cervejariaramiro.com/ | 38.72068,-9.13572
Ramiro | Avenida Almirante Reis 1H, Lisbon | 218 851 024 | - | 38.7207,-9.1356
same: Largo São and Lg. S.
O Velho Eurico | Largo São Cristóvão 3, Lisboa | - | - | 38.71223,-9.13517
Restaurante O Velho Eurico | Lg. de S. Cristóvão 3, 1100-179 Lisboa | - | - | 38.7123,-9.1351
different: a common name in two towns
Café Central | Praça do Giraldo 20, Évora | - | - | 38.5711,-7.9096
Café Central | Rua de Santo António 30, Faro | - | - | 37.0152,-7.9341
maybe: Greek and Latin letters, with the same phone, number and spot
Ταβέρνα του Ψυρρή | Αισχύλου 12, Αθήνα 105 54 | 21 0321 4923 | - | 37.97843,23.72549
Taverna tou Psirri | Aischilou 12, Athens | +30 210 3214923 | - | 37.9784,23.7255
same: Greek capitals without accents
ΔΙΟΝΥΣΟΣ | ΡΟΒΕΡΤΟΥ ΓΚΑΛΛΙ 43, ΑΘΗΝΑ | 210 9233182 | - | 37.96921,23.72611
Διόνυσος | Ροβέρτου Γκάλλι 43, Αθήνα 117 42 | +30 21 0923 3182 | http://www.dionysoszonars.gr/ | 37.9692,23.7261
different: a common name in two cities
Ο Θανάσης | Μητροπόλεως 69, Αθήνα | 210 3244705 | - | 37.97617,23.72618
Ο Θανάσης | Τσιμισκή 41, Θεσσαλονίκη | 2310 277720 | - | 40.6340,22.9430
maybe: Greek and English name, without a phone
Το Κουτούκι του Λιμανιού | Ακτή Θεμιστοκλέους 30, Πειραιάς | - | - | 37.93402,23.64881
Harbour Tavern | Akti Themistokleous 30, Piraeus | - | - | 37.9340,23.6489

# Poland, Czechia, Hungary
same: kind word, postal code
Restauracja U Fukiera | Rynek Starego Miasta 27, 00-272 Warszawa | +48 22 831 10 13 | - | 52.24980,21.01172
U Fukiera | Rynek Starego Miasta 27, Warsaw | 228311013 | https://ufukiera.pl/ | 52.2498,21.0117
same: ł, ul.
Pod Aniołami | ul. Grodzka 35, Kraków | - | - | 50.05737,19.93799
Pod Aniolami | Grodzka 35, 31-001 Krakow, Poland | +48 12 421 39 99 | http://www.podaniolami.pl/ | 50.0573,19.9380
different: a chain on one street
Zapiecek | Freta 1, 00-227 Warszawa | 22 635 61 09 | https://zapiecek.eu | 52.25126,21.00911
Zapiecek | Freta 18, 00-227 Warszawa | 22 692 71 35 | https://zapiecek.eu | 52.25247,21.00868
same: two numbers of one house
U Zlatého tygra | Husova 228/17, 110 00 Staré Město, Praha | +420 222 221 111 | https://www.uzlatehotygra.cz | 50.08570,14.41808
U Zlateho Tygra | Husova 17, Prague | 222 221 111 | - | 50.0857,14.4181
different: a group with one website
Lokál Dlouhááá | Dlouhá 33, Praha 1 | 734 283 874 | https://lokal-dlouha.ambi.cz/ | 50.09041,14.42562
Lokál U Bílé kuželky | Míšeňská 12, Praha 1 | 257 212 014 | https://lokal-ubilekuzelky.ambi.cz/ | 50.08775,14.40733
same: the city first
Gundel Étterem | 1146 Budapest, Gundel Károly út 4. | +36 1 889 8111 | - | 47.51815,19.07737
Gundel | Gundel Károly út 4, Budapest | 06 1 889 8111 | https://gundel.hu | 47.5181,19.0774

# North
same: kind words half in English, Gl. and Gammel
Krogs Fiskerestaurant | Gammel Strand 38, 1202 København | +45 33 15 89 15 | - | 55.67788,12.57872
Krog's Fish Restaurant | Gl. Strand 38, Copenhagen | 33158915 | - | 55.6779,12.5788
same: å and ö without marks, an article
Den Gyldene Freden | Österlånggatan 51, 111 31 Stockholm | 08-24 97 60 | https://gyldenefreden.se/ | 59.32346,18.07335
Gyldene Freden | Osterlanggatan 51, Stockholm | +46 8 249760 | - | 59.3235,18.0733
same: ø and o
Søren K | Søren Kierkegaards Plads 1, 1221 København K | - | - | 55.67316,12.58227
Soren K | Soren Kierkegaards Plads 1, Copenhagen | - | - | 55.6732,12.5823
same: þ and th
Þrír Frakkar | Baldursgata 14, 101 Reykjavík | 552 3939 | - | 64.14268,-21.93221
Thrir Frakkar | Baldursgata 14, Reykjavik | +354 552 3939 | - | 64.1427,-21.9322
different: a chain with one website
Espresso House | Mannerheimintie 5, Helsinki | - | https://espressohouse.com/ | 60.16881,24.94059
Espresso House | Mannerheimintie 22, Helsinki | - | https://espressohouse.com/ | 60.17080,24.93692

# Turkey
same: dotted and dotless i, Sok. No:, the street in one word
ÇİYA SOFRASI | Güneşli Bahçe Sok. No:43, Kadıköy | (0216) 330 31 90 | http://www.ciya.com.tr | 40.98993,29.02448
Ciya Sofrasi | Güneşlibahçe Sk. 43, 34710 Kadıköy/İstanbul | +90 216 330 31 90 | - | 40.9899,29.0245
different: one family across the street
Çiya Sofrası | Güneşli Bahçe Sok. No:43, Kadıköy | 0216 330 31 90 | http://www.ciya.com.tr | 40.98993,29.02448
Çiya Kebap | Güneşli Bahçe Sok. No:48/B, Kadıköy | 0216 336 30 13 | http://www.ciya.com.tr | 40.98981,29.02466
same: kind word behind, capital İ
PANDELİ LOKANTASI | Mısır Çarşısı No:1, Eminönü, İstanbul | 0212 527 39 09 | - | 41.01668,28.97049
Pandeli | Misir Carsisi 1, Eminonu, Istanbul | +90 212 527 3909 | - | 41.0167,28.9705
different: branches of a baklava house
Karaköy Güllüoğlu | Kemankeş Cad. 67, Karaköy, İstanbul | 0212 249 96 80 | - | 41.02411,28.97899
Gaziantepli Güllüoğlu | Bağdat Cad. 311, Erenköy, İstanbul | 0216 411 20 10 | - | 40.97100,29.07230

# Ukraine, Bulgaria, Russia
maybe: Cyrillic and Latin letters, with the same phone, number and spot
Канапа | Андріївський узвіз, 19, Київ | 068 297 97 97 | - | 50.46113,30.51671
Kanapa | Andriivskyi descent 19, Kyiv, 04070 | +380 68 297 9797 | https://kanapa-restaurant.kiev.ua | 50.4611,30.5167
same: kind word, quotes around the street
Ресторант Манастирска Магерница | ул. Хан Аспарух 67, София | 02 980 3883 | - | 42.69069,23.32112
Манастирска магерница | ул. „Хан Аспарух“ 67, 1000 София | +359 2 980 3883 | - | 42.6907,23.3211
different: a chain on one street
Теремок | Невский пр., 60, Санкт-Петербург | 8 812 314-27-01 | https://teremok.ru | 59.93472,30.33818
Теремок | Невский пр., 106, Санкт-Петербург | 8 812 314-27-01 | https://teremok.ru | 59.93215,30.35438
same: ё and е, street word before and behind
Кафе «Ёлки-Палки» | Тверская ул., 12, Москва | 8 (495) 650-33-11 | - | 55.76319,37.60878
Елки-Палки | улица Тверская, 12, Москва | +7 495 650-33-11 | - | 55.7632,37.6088

# United Kingdom, Ireland
same: (0)20, the article
The Wolseley | 160 Piccadilly, St. James's, London W1J 9EB | +44 (0)20 7499 6996 | https://thewolseley.com | 51.50745,-0.14115
Wolseley | 160 Piccadilly, London | 020 7499 6996 | - | 51.5075,-0.1412
same: St for Saint and for Street
St. JOHN | 26 St John St, London EC1M 4AY | +44 20 7251 0848 | https://stjohnrestaurant.com/a/restaurants/smithfield | 51.52048,-0.10149
St John Restaurant | 26 Saint John Street, Clerkenwell, London | 02072510848 | - | 51.5205,-0.1015
different: a second house of the same owners
St. John Bread and Wine | 94-96 Commercial Street, London E1 6LZ | 020 7251 0848 | https://stjohnrestaurant.com/a/restaurants/spitalfields | 51.51961,-0.07446
St. John | 26 St John St, London EC1M 4AY | 020 7251 0848 | https://stjohnrestaurant.com/a/restaurants/smithfield | 51.52048,-0.10149
same: possessive, & and and
Joe's Fish & Chips | 41 North Bridge, Edinburgh | - | - | 55.95101,-3.18784
Joes Fish and Chips | 41 North Bridge, Edinburgh EH1 1SB | - | - | 55.95098,-3.18779
different: a chain in one quarter
Nando's | 57-59 Goodge Street, London W1T 1TH | 020 7637 0708 | https://www.nandos.co.uk | 51.51930,-0.13552
Nando's | 10 Frith Street, London W1D 3JF | 020 7494 0932 | https://www.nandos.co.uk | 51.51455,-0.13158
different: restaurant and bar of a hotel, with one phone
The Ritz Restaurant | 150 Piccadilly, London W1J 9BR | 020 7493 8181 | https://www.theritzlondon.com | 51.50706,-0.14154
The Rivoli Bar at The Ritz | 150 Piccadilly, London W1J 9BR | 020 7493 8181 | https://www.theritzlondon.com | 51.50706,-0.14154
same: a unit of a yard
Tapas Revolution | Unit 3, Brewery Yard, 12 Deal Street, London E1 5AJ | - | - | 51.51888,-0.06811
Tapas Revolution | 12 Deal St, London | - | - | 51.5189,-0.0680
different: two units of a yard
Brick Lane Beigel | Unit 3, Brewery Yard, 12 Deal Street, London | - | - | 51.51888,-0.06811
Hackney Dumplings | Unit 7, Brewery Yard, 12 Deal Street, London | - | - | 51.51893,-0.06820
same: Lower before and behind the street
The Brazen Head | 20 Lower Bridge St, Usher's Quay, Dublin 8 | 01 677 9549 | - | 53.34495,-6.27647
Brazen Head Pub | 20 Bridge Street Lower, Dublin, D08 WC64 | +353 (0)1 6779549 | http://www.brazenhead.com/ | 53.3450,-6.2764
same: Irish accents
An Port Mór | 1 Brewery Place, Westport, Co. Mayo | 098 26730 | - | 53.80010,-9.52291
An Port Mor Restaurant | Brewery Pl 1, Westport | +353 98 26730 | - | 53.8001,-9.5229

# Japan
same: full-width Latin letters and digits
ＣＡＦＥ\u3000ＭＥＴＲＯ | 東京都千代田区神田神保町１－１７－１ | ０３－３２９１－２３２３ | - | 35.69570,139.75902
Cafe Metro | 千代田区神田神保町1-17-1 | 03-3291-2323 | - | 35.6957,139.7590
same: a blank, a full-width number with other dashes
とんかつまい泉 青山本店 | 東京都渋谷区神宮前4-8-5 | 0120-428-485 | https://mai-sen.com/ | 35.66788,139.71065
とんかつ まい泉\u3000青山本店 | 渋谷区神宮前４−８−５ | 0120428485 | - | 35.6679,139.7107
same: half-width katakana
ｷｯﾁﾝｼﾞﾛｰ 神保町店 | 東京都千代田区神田神保町1-13-6 | - | - | 35.69548,139.76001
キッチンジロー 神保町店 | 千代田区神田神保町1丁目13番6号 | 03-3291-5561 | - | 35.6955,139.7600
different: branches of a chain with one website
一蘭 渋谷店 | 東京都渋谷区神南1-22-7 岩本ビルB1F | 050-1808-2546 | https://ichiran.com | 35.66190,139.70026
一蘭 新宿中央東口店 | 東京都新宿区新宿3-34-11 ピースビルB1F | 050-1808-2529 | https://ichiran.com | 35.69111,139.70327
different: branches near each other
鳥貴族 渋谷店 | 東京都渋谷区宇田川町31-9 | 03-3462-5080 | https://torikizoku.co.jp | 35.66056,139.69857
鳥貴族 渋谷2号店 | 東京都渋谷区宇田川町34-6 | 03-3462-6522 | https://torikizoku.co.jp | 35.66105,139.69774
same: chome-ban-go before and behind the quarter
Sukiyabashi Jiro Honten | Tokyo, Chuo City, Ginza, 4-chome−2−15 Tsukamoto Sogyo Building B1F | 03-3535-3600 | - | 35.67274,139.76402
Sukiyabashi Jiro | 4-2-15 Ginza, Chuo-ku, Tokyo 104-0061, Japan | +81 3-3535-3600 | https://www.sushi-jiro.jp | 35.6727,139.7640
same: chome-ban-go in Japanese
うなぎ 秋本 | 東京都千代田区麹町3丁目4番4号 | 03-3261-6762 | - | 35.68430,139.73970
うなぎ秋本 | 〒102-0083 東京都千代田区麹町３－４－４ | 0332616762 | - | -
same: with and without the floor and the building
寿司大 | 東京都江東区豊洲6-5-1 | 03-6633-0042 | - | 35.64580,139.78420
寿司大 | 江東区豊洲6-5-1 6街区水産仲卸売場棟3F | 03-6633-0042 | - | 35.6457,139.7843
maybe: Japanese and Latin letters, without a phone
すきやばし次郎 | 東京都中央区銀座4-2-15 | - | - | 35.67274,139.76402
Sukiyabashi Jiro | 4-2-15 Ginza, Chuo-ku, Tokyo | - | - | 35.6728,139.7641
maybe: Japanese and Latin letters, with a phone
菊乃井 本店 | 京都市東山区下河原町459 | 075-561-0015 | - | 35.00081,135.78078
Kikunoi | 459 Shimokawaracho, Higashiyama-ku, Kyoto | +81 75-561-0015 | - | 35.0008,135.7808
unlike: floors of one building
鳥しげ | 東京都新宿区西新宿1-12-9 2F | 03-3346-1101 | - | 35.69080,139.69780
つな八 | 東京都新宿区西新宿1-12-9 5F | 03-3342-8733 | - | 35.69080,139.69780
different: two shops of a department store, with its phone
銀座天一 そごう横浜店 | 神奈川県横浜市西区高島2-18-1 そごう横浜店10F | 045-465-2111 | - | 35.46590,139.62560
永坂更科 そごう横浜店 | 神奈川県横浜市西区高島2-18-1 そごう横浜店10F | 045-465-2111 | - | 35.46590,139.62560
same: 0081, -cho
Kikunoi Honten | 459 Shimokawaracho, Yasakatoriimae-sagaru, Higashiyama-ku, Kyoto | 0081-75-561-0015 | https://kikunoi.jp/ | 35.00081,135.78078
Kikunoi | 459 Shimokawara-cho, Higashiyama-ku, Kyoto, 605-0825, Japan | 075-561-0015 | - | 35.0008,135.7808
different: the second house of a family
Kikunoi | 459 Shimokawara-cho, Higashiyama-ku, Kyoto | 075-561-0015 | https://kikunoi.jp | 35.00081,135.78078
Kikunoi Roan | 118 Saito-cho, Shimogyo-ku, Kyoto | 075-361-5580 | https://kikunoi.jp | 35.00255,135.76993
same: macrons
Rāmen Jirō Mita Honten | 2-16-4 Mita, Minato-ku, Tokyo | - | - | 35.64806,139.74155
Ramen Jiro Mita Honten | 2 Chome-16-4 Mita, Minato City, Tokyo 108-0073 | - | - | 35.6481,139.7416
same: hiragana and katakana of a kind word
らーめん山頭火 旭川本店 | 旭川市1条通8丁目348 | 0166-25-3401 | - | 43.76501,142.35922
ラーメン山頭火 旭川本店 | 北海道旭川市一条通8丁目348 | 0166-25-3401 | - | 43.7650,142.3592
same: old and new form of a character
麵屋武蔵 新宿総本店 | 東京都新宿区西新宿7-2-6 | 03-3363-4634 | - | 35.69470,139.69860
麺屋武蔵 新宿総本店 | 新宿区西新宿7-2-6 K-1ビル1F | 03-3363-4634 | - | 35.6947,139.6986
different: branches on neighbouring streets
スターバックス コーヒー 銀座マロニエ通り店 | 東京都中央区銀座3-7-6 | - | https://www.starbucks.co.jp | 35.67304,139.76680
スターバックス コーヒー 銀座松屋通り店 | 東京都中央区銀座3-7-3 | - | https://www.starbucks.co.jp | 35.67226,139.76622
different: two houses of one dish in one quarter
Tonkatsu Narikura | 1-32-11 Takadanobaba, Shinjuku-ku, Tokyo | 03-6380-3823 | - | 35.71270,139.70560
Tonkatsu Tonta | 3-17-8 Takada, Toshima-ku, Tokyo | 03-3989-1019 | - | 35.71490,139.70760
different: branches with Latin names
Afuri Ebisu | 1-1-7 Ebisu, Shibuya-ku, Tokyo | 03-5795-0750 | https://afuri.com | 35.64792,139.71051
Afuri Harajuku | 3-63-1 Sendagaya, Shibuya-ku, Tokyo | 03-6438-1910 | https://afuri.com | 35.67185,139.70420
maybe: one name, neither number nor phone
居酒屋 さくら | 大阪市北区 | - | - | 34.7055,135.4983
さくら | 大阪市北区曽根崎2-5-20 | 06-6312-9011 | - | 34.7012,135.5002

# Korea
same: main branch, the province in short
명동교자 본점 | 서울특별시 중구 명동10길 29 | 02-776-5348 | http://www.mdkj.co.kr | 37.56257,126.98560
명동교자 | 서울 중구 명동10길 29 | +82 2-776-5348 | - | 37.5626,126.9856
different: main house and second house on one street
명동교자 본점 | 서울 중구 명동10길 29 | 02-776-5348 | http://www.mdkj.co.kr | 37.56257,126.98560
명동교자 신관 | 서울 중구 명동10길 10 | 02-776-3424 | http://www.mdkj.co.kr | 37.56302,126.98432
maybe: Korean and Latin letters
명동교자 | 서울 중구 명동10길 29 | 02-776-5348 | - | 37.56257,126.98560
Myeongdong Kyoja | 29 Myeongdong 10-gil, Jung-gu, Seoul | +82 2-776-5348 | - | 37.5626,126.9856
same: a blank in the name
토속촌 삼계탕 | 서울 종로구 자하문로5길 5 | - | - | 37.57777,126.97160
토속촌삼계탕 | 서울특별시 종로구 자하문로5길 5 | 02-737-7444 | - | 37.5778,126.9716
different: branches of a chain
스타벅스 강남대로점 | 서울 서초구 강남대로 369 | 1522-3232 | https://www.starbucks.co.kr | 37.49535,127.02849
스타벅스 강남역점 | 서울 강남구 강남대로 390 | 1522-3232 | https://www.starbucks.co.kr | 37.49704,127.02845
same: a Latin name in one word, the number before and behind
Gwanghwamun Jip | 12 Saemunan-ro 5-gil, Jongno-gu, Seoul | 02-739-7737 | - | 37.57213,126.97412
Gwanghwamunjip | Saemunan-ro 5-gil 12, Seoul | +82 2 739 7737 | - | 37.5721,126.9741
different: one name on two side streets
Hanok Jip | 12 Insadong 5-gil, Jongno-gu, Seoul | - | - | -
Hanok Jip | 12 Insadong 14-gil, Jongno-gu, Seoul | - | - | -
different: restaurants of a hotel
La Yeon | 23F, The Shilla Hotel, 249 Dongho-ro, Jung-gu, Seoul | +82 2-2233-3131 | https://www.shilla.net/seoul | 37.55580,127.00510
Palsun | 2F, The Shilla Hotel, 249 Dongho-ro, Jung-gu, Seoul | +82 2-2233-3131 | https://www.shilla.net/seoul | 37.55580,127.00510

# China, Taiwan, Hong Kong, Macau
same: traditional and simplified characters
鼎泰豐 信義店 | 台北市大安區信義路二段194號 | 02-2321-8928 | https://www.dintaifung.com.tw/ | 25.03343,121.53013
鼎泰丰(信义店) | 台北市大安区信义路二段194号 | +886 2 2321 8928 | - | 25.0334,121.5301
different: branches of a chain
鼎泰豐 信義店 | 台北市大安區信義路二段194號 | 02-2321-8928 | https://www.dintaifung.com.tw | 25.03343,121.53013
鼎泰豐 101店 | 台北市信義區市府路45號B1 | 02-8101-7799 | https://www.dintaifung.com.tw | 25.03364,121.56450
same: 臺 and 台, with the postal code
台南擔仔麵 | 台北市萬華區華西街31號 | 02-2308-1123 | - | 25.03837,121.49853
臺南擔仔麵 | 108 臺北市萬華區華西街31號 | 0223081123 | - | 25.0384,121.4985
same: section and road, No.
Din Tai Fung | 194, Section 2, Xinyi Road, Da'an District, Taipei, Taiwan | +886 2-2321-8928 | https://www.dintaifung.com.tw/ | 25.03343,121.53013
Din Tai Fung (Xinyi) | No. 194, Sec. 2, Xinyi Rd., Taipei City 106 | (02)2321-8928 | - | 25.0334,121.5302
different: one number in two sections of a road
Liu's Beef Noodles | No. 188, Sec. 2, Zhongxiao E. Rd., Taipei | - | - | -
Liu's Beef Noodles | No. 188, Sec. 4, Zhongxiao E. Rd., Taipei | - | - | -
same: Hong Kong, both characters, the ground floor
九記牛腩 | 中環歌賦街21號地下 | 2850 5967 | - | 22.28430,114.15241
九记牛腩 | 香港中环歌赋街21号 | +852 2850 5967 | - | 22.2843,114.1524
maybe: Chinese and English name, with a phone
九記牛腩 | 中環歌賦街21號地下 | 2850 5967 | - | 22.28430,114.15241
Kau Kee Restaurant | 21 Gough Street, Central, Hong Kong | +852 2850 5967 | - | 22.2843,114.1524
same: G/F, a branch in brackets
Tim Ho Wan | G/F, 9-11 Fuk Wing Street, Sham Shui Po, Hong Kong | +852 2788 1226 | https://www.timhowan.hk | 22.33058,114.16583
Tim Ho Wan (Sham Shui Po) | 9-11 Fuk Wing St, Hong Kong | 27881226 | - | 22.3306,114.1658
different: branches of a chain
Tim Ho Wan (Sham Shui Po) | 9-11 Fuk Wing Street, Sham Shui Po, Hong Kong | 2788 1226 | https://www.timhowan.hk | 22.33058,114.16583
Tim Ho Wan | Shop 12A, Hong Kong Station, Central, Hong Kong | 2332 3078 | https://www.timhowan.hk | 22.28474,114.15801
different: restaurants of a hotel, with its phone
Lung King Heen | 4/F, Four Seasons Hotel, 8 Finance St, Central, Hong Kong | +852 3196 8888 | https://www.fourseasons.com/hongkong/ | 22.28650,114.15680
Caprice | 6/F, Four Seasons Hotel, 8 Finance St, Central, Hong Kong | +852 3196 8888 | https://www.fourseasons.com/hongkong/ | 22.28650,114.15680
different: restaurants of a hotel that carry its name
Grand Hyatt Café | 1 Harbour Road, Wan Chai, Hong Kong | 2588 1234 | https://www.hyatt.com | 22.28036,114.17397
Grand Hyatt Steakhouse | 1 Harbour Road, Wan Chai, Hong Kong | 2588 1234 | https://www.hyatt.com | 22.28036,114.17397
same: the branch in brackets and behind a kind word
全聚德(前门店) | 北京市东城区前门大街30号 | 010-67011379 | - | 39.89772,116.39196
全聚德烤鸭店 前门店 | 前门大街30号 | (010)6701 1379 | - | 39.8977,116.3920
different: branches of a chain
全聚德(前门店) | 北京市东城区前门大街30号 | 010-67011379 | http://www.quanjude.com.cn | 39.89772,116.39196
全聚德(王府井店) | 北京市东城区帅府园胡同9号 | 010-65253310 | http://www.quanjude.com.cn | 39.91372,116.41130
different: branches of a chain without numbers, with a central phone
海底捞火锅(西单店) | 北京市西城区西单北大街 | 4009-107-107 | https://www.haidilao.com | 39.91112,116.37360
海底捞火锅(王府井店) | 北京市东城区王府井大街 | 4009-107-107 | https://www.haidilao.com | 39.91439,116.41163
different: restaurants of a hotel, on other floors
Robuchon au Dôme | 43/F, Grand Lisboa, Avenida de Lisboa, Macao | +853 2828 3838 | https://www.grandlisboa.com | 22.19060,113.54370
The Eight | 2/F, Grand Lisboa, Avenida de Lisboa, Macao | +853 2828 3838 | https://www.grandlisboa.com | 22.19060,113.54370
maybe: one name on one road, neither number nor phone
老北京炸酱面 | 北京市东城区崇文门外大街 | - | - | 39.8961,116.4172
老北京炸酱面 | 北京市东城区 | - | - | 39.8972,116.4181

# Thailand, Vietnam, Singapore, Malaysia
same: Rd and Thanon, the name in one word and in two
Thipsamai Pad Thai | 313-315 Maha Chai Rd, Bangkok | +66 2 226 6666 | - | 13.75273,100.50480
Thip Samai | 313 315 Thanon Maha Chai, Samran Rat, Phra Nakhon, Bangkok 10200 | 02 226 6666 | - | 13.7527,100.5048
same: Thai, the street's abbreviation
ทิพย์สมัย ผัดไทยประตูผี | 313 ถนนมหาไชย กรุงเทพฯ | 02-226-6666 | - | 13.75273,100.50480
ทิพย์สมัย | 313 ถ.มหาไชย แขวงสำราญราษฎร์ เขตพระนคร กรุงเทพมหานคร 10200 | 022266666 | - | 13.7527,100.5048
maybe: Thai and Latin letters
ทิพย์สมัย | 313 ถนนมหาไชย กรุงเทพฯ | 02-226-6666 | - | 13.75273,100.50480
Thipsamai | 313-315 Maha Chai Rd, Bangkok | +66 2 226 6666 | - | 13.7527,100.5048
same: kind word Raan, the street in one word and in two
Jay Fai | 327 Maha Chai Rd, Bangkok | +66 2 223 9384 | - | 13.75254,100.50485
Raan Jay Fai | 327 Mahachai Road, Samran Rat, Bangkok 10200 | 022239384 | - | 13.7526,100.5048
different: branches of a chain
Somtum Der | 5/5 Saladaeng Road, Bangkok | 02 632 4499 | https://somtumder.com | 13.72808,100.53633
Somtum Der | 48 Sukhumvit 23, Bangkok | 02 632 4499 | https://somtumder.com | 13.74062,100.56366
same: Vietnamese accents, the address in the name
Phở Thìn | 13 Lò Đúc, Hà Nội | - | - | 21.01812,105.85549
Pho Thin 13 Lo Duc | 13 P. Lò Đúc, Ngô Thì Nhậm, Hai Bà Trưng, Hà Nội 10000 | - | - | 21.0181,105.8555
different: another house with the first's name
Phở Thìn Bờ Hồ | 61 Đinh Tiên Hoàng, Hà Nội | - | - | 21.03187,105.85395
Phở Thìn | 13 Lò Đúc, Hà Nội | - | - | 21.01812,105.85549
same: Quận and District, a letter after the number
Quán Bụi | 17A Ngô Văn Năm, Quận 1, TP. Hồ Chí Minh | - | - | 10.78099,106.70570
Quan Bui Restaurant | 17a Ngo Van Nam, District 1, Ho Chi Minh City | +84 28 3829 1515 | - | 10.7810,106.7057
same: a remark in brackets
Bún chả Hương Liên | 24 Lê Văn Hưu, Hai Bà Trưng, Hà Nội | 024 3943 4106 | - | 21.01814,105.85400
Bun Cha Huong Lien (Obama) | 24 Le Van Huu Street, Hanoi | +84 24 3943 4106 | - | 21.0181,105.8540
same: a stall with its number, Blk
Hill Street Tai Hwa Pork Noodle | 466 Crawford Lane, #01-12, Singapore | - | - | 1.30510,103.86228
Tai Hwa Pork Noodle | Blk 466 Crawford Ln #01-12, Singapore 190466 | - | - | 1.3051,103.8623
different: stalls of a food centre with one dish in their names
Tian Tian Hainanese Chicken Rice | Maxwell Food Centre, #01-10, 1 Kadayanallur Street, Singapore | - | - | 1.28032,103.84480
Ah Tai Hainanese Chicken Rice | Maxwell Food Centre, #01-07, 1 Kadayanallur Street, Singapore | - | - | 1.28032,103.84480
unlike: stalls of a food centre
Alliance Seafood | Newton Food Centre, #01-27, 500 Clemenceau Avenue North, Singapore | - | - | 1.31187,103.83933
Heng Carrot Cake | Newton Food Centre, #01-28, 500 Clemenceau Avenue North, Singapore | - | - | 1.31187,103.83933
maybe: one house and phone, differing words behind the name
Village Park Restaurant | 5, Jalan SS 21/37, Damansara Utama, Petaling Jaya | 03-7710 7860 | - | 3.13767,101.62333
Village Park Nasi Lemak | 5 Jln SS21/37, 47400 Petaling Jaya | +60 3-7710 7860 | - | 3.1377,101.6233
different: one brand in two malls
Nam Heong Chicken Rice | Lot 12, Level 4, Pavilion, 168 Jalan Bukit Bintang, Kuala Lumpur | - | - | 3.14902,101.71319
Nam Heong Chicken Rice | LG-05, Lot 10, 50 Jalan Sultan Ismail, Kuala Lumpur | - | - | 3.14652,101.71162

# India
same: possessive and kind word, spelling of the lane
Karim's | 16, Gali Kababian, Jama Masjid, Delhi | 011 2326 4981 | - | 28.64953,77.23353
Karim Hotel | 16 Gali Kababiyan, near Jama Masjid, Old Delhi 110006 | +91 11 2326 4981 | - | 28.6495,77.2335
different: branches of a chain in one quarter
Saravana Bhavan | P-13, Connaught Place, New Delhi | 011 2334 7755 | https://saravanabhavan.com | 28.63302,77.22013
Saravana Bhavan | 46, Janpath, Connaught Place, New Delhi | 011 2331 7755 | https://saravanabhavan.com | 28.62731,77.21886
different: restaurants of a hotel, with its phone
Bukhara | ITC Maurya, Sardar Patel Marg, Diplomatic Enclave, New Delhi | 011 2611 2233 | https://www.itchotels.com | 28.59724,77.17360
Dum Pukht | ITC Maurya, Sardar Patel Marg, Diplomatic Enclave, New Delhi | 011 2611 2233 | https://www.itchotels.com | 28.59724,77.17360
same: no number in the address
Indian Accent | The Lodhi, Lodhi Road, New Delhi | 098711 17968 | - | 28.59100,77.23840
Indian Accent Restaurant | The Lodhi, Lodhi Rd, CGO Complex, New Delhi 110003 | +91 98711 17968 | https://indianaccent.com/newdelhi/ | 28.5911,77.2385
same: a name in full with its abbreviation, Bengaluru and Bangalore
MTR | 14, Lalbagh Rd, Bengaluru | 080 2222 0022 | - | 12.95513,77.58547
Mavalli Tiffin Rooms (MTR) | Lal Bagh Road 14, Bangalore 560027 | +91 80 2222 0022 | - | 12.9551,77.5855
different: a common name in two cities
Hotel Annapurna | Station Road, Pune | - | - | 18.5289,73.8744
Hotel Annapurna | Station Road, Kolhapur | - | - | 16.7030,74.2433

# Israel, Arab countries
same: Hebrew, the word for street
מחניודה | בית יעקב 10, ירושלים | 02-533-3442 | - | 31.78567,35.21195
מחניודה | רחוב בית יעקב 10, ירושלים | +972 2 533 3442 | https://machneyuda.co.il | 31.7857,35.2119
maybe: Hebrew and Latin letters
מחניודה | בית יעקב 10, ירושלים | 02-533-3442 | - | 31.78567,35.21195
Machneyuda | Beit Ya'akov St 10, Jerusalem | +972 2-533-3442 | - | 31.7857,35.2119
same: Hebrew, a kind word, an abbreviated street
חומוס אבו חסן | הדולפין 1, תל אביב-יפו | 03-682-0387 | - | 32.04853,34.75060
אבו חסן | רח' הדולפין 1, יפו | 036820387 | - | 32.0485,34.7506
same: Arabic, hamza, Arabic digits, a kind word
مطعم أبو طارق | شارع شامبليون 16، القاهرة | 02 25775935 | - | 30.05018,31.23777
ابو طارق | ١٦ شارع شامبليون، معروف، القاهرة | +20 2 25775935 | - | 30.0502,31.2378
maybe: Arabic and Latin letters
مطعم أبو طارق | شارع شامبليون 16، القاهرة | - | - | 30.05018,31.23777
Abou Tarek | 16 Champollion St, Cairo | - | - | 30.0502,31.2378
different: a chain in two cities
البيك | شارع التحلية، جدة | 920 000 244 | https://www.albaik.com | 21.54610,39.17220
البيك | طريق الملك فهد، الرياض | 920 000 244 | https://www.albaik.com | 24.71150,46.67440
same: no number in the address, a phone with and without its country
Al Ustad Special Kabab | Al Musallah Rd, Al Fahidi, Dubai | 04 397 1933 | - | 25.26158,55.29911
Al Ustad Special Kebab | Al Musallah Road, Bur Dubai, Dubai, UAE | +971 4 397 1933 | - | 25.2616,55.2991
different: restaurants of a resort, with one phone for reservations
Pierchic | Jumeirah Al Qasr, Madinat Jumeirah, Dubai | 800 323232 | https://www.jumeirah.com/en/dine/dubai/al-qasr-pierchic | 25.13236,55.18222
Khaymat Al Bahar | Jumeirah Al Qasr, Madinat Jumeirah, Dubai | 800 323232 | https://www.jumeirah.com/en/dine/dubai/khaymat-al-bahar | 25.13240,55.18390

# United States, Canada
same: possessive, E and East, a shorter name
Katz's Delicatessen | 205 E Houston St, New York, NY 10002 | (212) 254-2246 | https://katzsdelicatessen.com | 40.72224,-73.98737
Katz Deli | 205 East Houston Street | 212-254-2246 | - | 40.7223,-73.9873
different: a chain on one street
Starbucks | 100 Main St, Springfield | - | https://www.starbucks.com | 42.10230,-72.59010
Starbucks | 250 Main St, Springfield | - | https://www.starbucks.com | 42.10371,-72.59172
different: a chain at one number of the main streets of two towns
Starbucks | 100 Main St, Springfield, MA | (413) 737-0114 | https://www.starbucks.com | -
Starbucks | 100 Main St, Northampton, MA | (413) 586-2201 | https://www.starbucks.com | 42.31880,-72.63180
different: a chain at one number of the two ends of a street
Waffle House | 120 N Main St, Greenville, SC | (864) 232-0918 | https://www.wafflehouse.com | -
Waffle House | 120 S Main St, Greenville, SC | (864) 271-4430 | https://www.wafflehouse.com | 34.84770,-82.40110
same: a restaurant of a hotel, with and without its floor, abbreviated
Silk Road | GF, North Wing, Grand Palace Hotel, Avenida Doutor Sun Yat-Sen, Macau | +853 8811 2200 | https://www.grandpalace.example | 22.18711,113.54920
Silk Road | N. Wing, Grand Palace Hotel, Av. Doutor Sun Yat-Sen, Macau | - | grandpalace.example | 22.18708,113.54918
same: one address without coordinates
Lo Ji Fried Rice | 14, Alley 6, Lane 83, Yongkang Street, Da'an District, Taipei, Taiwan | - | - | 25.03211,121.52980
Lo Ji Fried Rice | 14, Alley 6, Lane 83, Yongkang Street, Da'an District, Taipei, Taiwan | - | - | -
same: a letter lost in a short name, with the same phone and address
Brods | Mäster Nilsgatan 9, Malmö | 040 23 45 10 | - | 55.60480,12.99350
Bros | Master Nilsgatan 9, 211 26 Malmo | +46 40 234510 | https://brods.example | -
different: a chain, 80 m apart, with one phone
Starbucks Coffee | 1585 Broadway, New York, NY 10036 | (800) 782-7282 | https://www.starbucks.com/store-locator | 40.76050,-73.98520
Starbucks Coffee | 1567 Broadway, New York, NY 10036 | (800) 782-7282 | https://www.starbucks.com/store-locator | 40.75981,-73.98541
same: between two streets, an extension
Carbone | 181 Thompson St. between Bleecker and Houston Sts., New York | 212/254-3000 | - | -
Carbone | 181 Thompson St, New York, NY 10012 | (212) 254-3000 ext. 2 | http://carbonenewyork.com/ | 40.72797,-74.00019
different: restaurant and café of a hotel, with its phone and address
Ritz-Carlton Restaurant | 181 Peachtree St., Atlanta | 404/659-0400 | - | -
Ritz-Carlton Cafe | 181 Peachtree St., Atlanta | 404-659-0400 | - | -
same: the article behind, W. and West, 51st
Bernardin, Le | 155 W. 51st St. between 6th and 7th Aves., New York | - | https://www.le-bernardin.com | -
Le Bernardin | 155 West 51st Street, New York, NY 10019 | +1 212-554-1515 | https://le-bernardin.com/menus/lunch?utm_source=google | 40.76154,-73.98188
same: coordinates that are 1.3 km off
Swan Oyster Depot | 1517 Polk St, San Francisco, CA 94109 | (415) 673-1101 | - | 37.79096,-122.42101
Swan Oyster Depot | 1517 Polk Street, San Francisco | 415.673.1101 | - | 37.7793,-122.4193
unlike: rivals across the street
Pat's King of Steaks | 1237 E Passyunk Ave, Philadelphia | (215) 468-1546 | - | 39.93320,-75.15922
Geno's | 1219 S 9th St, Philadelphia | (215) 389-0659 | - | 39.93374,-75.15880
different: a common name in two cities
Golden Dragon | 816 Washington St, San Francisco, CA | 415-398-3920 | - | 37.79518,-122.40707
Golden Dragon | 960 N Broadway, Los Angeles, CA | 213-626-2039 | - | 34.06563,-118.23752
different: much the same name, another address
Ray's Pizza | 1073 1st Ave, New York, NY | - | - | 40.75832,-73.96293
Famous Original Ray's Pizza | 831 7th Ave, New York, NY | - | - | 40.76352,-73.98187
same: the street behind the name
Joe's Pizza | 7 Carmine St, New York, NY 10014 | - | https://www.joespizzanyc.com | 40.73060,-74.00214
Joes Pizza - Carmine Street | 7 Carmine Street, NYC | (212) 366-1182 | http://joespizzanyc.com/ | 40.7306,-74.0021
different: branches with one website
Joe's Pizza | 7 Carmine St, New York, NY 10014 | (212) 366-1182 | https://www.joespizzanyc.com | 40.73060,-74.00214
Joe's Pizza | 150 E 14th St, New York, NY 10003 | (212) 388-9474 | https://www.joespizzanyc.com | 40.73336,-73.98769
different: two kinds by one owner, around the corner
Osteria Mozza | 6602 Melrose Ave, Los Angeles | 323-297-0100 | https://mozzarestaurantgroup.com/osteria | 34.08318,-118.33882
Pizzeria Mozza | 641 N Highland Ave, Los Angeles | 323-297-0101 | https://mozzarestaurantgroup.com/pizzeria | 34.08336,-118.33886
different: bistro and bakery of one name, doors apart
Bouchon Bistro | 6534 Washington St, Yountville, CA | (707) 944-8037 | https://www.thomaskeller.com | 38.40227,-122.36192
Bouchon Bakery | 6528 Washington St, Yountville, CA | (707) 944-2253 | https://www.thomaskeller.com | 38.40205,-122.36167
different: the small place next to the large one, with its phone
Masa | 10 Columbus Circle, 4th floor, New York | 212-823-9800 | https://www.masanyc.com | 40.76851,-73.98297
Bar Masa | 10 Columbus Circle, 4th floor, New York | 212-823-9800 | https://www.masanyc.com/bar | 40.76851,-73.98297
same: 1st and First
Momofuku Noodle Bar | 171 1st Ave, New York, NY 10003 | - | - | 40.72922,-73.98442
Momofuku Noodle Bar | 171 First Avenue, New York | (212) 777-7773 | - | 40.7292,-73.9844
different: two bars of a group
Momofuku Noodle Bar | 171 1st Ave, New York, NY 10003 | (212) 777-7773 | https://momofuku.com | 40.72922,-73.98442
Momofuku Ssäm Bar | 207 2nd Ave, New York, NY 10003 | (212) 254-3500 | https://momofuku.com | 40.73174,-73.98573
different: stalls of a market with one address
Sticky's Chicken | Chelsea Market, 75 9th Ave, New York | - | https://www.chelseamarket.com | 40.74206,-74.00482
Los Tacos No. 1 | Chelsea Market, 75 9th Ave, New York | - | https://www.chelseamarket.com | 40.74206,-74.00482
maybe: renamed, with the same phone and address
The Red Rooster Grill | 2410 Guadalupe St, Austin, TX | (512) 555-0147 | - | 30.28740,-97.74190
Campus Cantina | 2410 Guadalupe Street, Austin | 512-555-0147 | - | 30.2874,-97.7419
same: French and English street
Schwartz's | 3895 boul. Saint-Laurent, Montréal | 514 842-4813 | - | 45.51633,-73.57767
Schwartz's Deli | 3895 St Laurent Blvd, Montreal, Quebec H2W 1X9 | (514) 842-4813 | https://schwartzsdeli.com | 45.5163,-73.5777
different: a second house out of town
Au Pied de Cochon | 536 Av Duluth E, Montréal | 514-281-1114 | https://aupieddecochon.ca | 45.52223,-73.57443
Cabane à Sucre Au Pied de Cochon | 11382 Rang de la Fresnière, Mirabel | 450-258-1732 | https://aupieddecochon.ca/cabane | 45.59550,-74.07110

# Latin America
same: Col., the quarter's longer name, a mobile prefix
El Califa | Altata 22, Col. Condesa, CDMX | 55 5271 6285 | - | 19.40788,-99.17111
Taquería El Califa de la Condesa | Calle Altata 22, Hipódromo Condesa, 06170 Ciudad de México | +52 1 55 5271 6285 | https://elcalifa.com.mx | 19.4079,-99.1711
different: branches of a chain with one phone
El Califa | Altata 22, Col. Condesa, CDMX | 55 5271 7666 | https://elcalifa.com.mx | 19.40788,-99.17111
El Califa | Calle de Río Lerma 83, Col. Cuauhtémoc, CDMX | 55 5271 7666 | https://elcalifa.com.mx | 19.42887,-99.16715
different: bars of a market hall with one address
Bar do Mané | R. da Cantareira, 306 - Centro, São Paulo | - | - | -23.54175,-46.62953
Hocca Bar | R. da Cantareira, 306 - Centro, São Paulo | - | - | -23.54175,-46.62953
same: R. and Rua
Maní | R. Joaquim Antunes, 210 - Jardim Paulistano, São Paulo - SP, 05415-010 | +55 11 3085-4148 | - | -23.56690,-46.68553
Mani | Rua Joaquim Antunes 210, Sao Paulo | (11) 3085-4148 | http://www.manimanioca.com.br/ | -23.5669,-46.6855
same: words behind the name, a part of the street's name
La Mar Cebichería | Av. Mariscal La Mar 770, Miraflores, Lima | 01 4213365 | - | -12.11282,-77.04511
La Mar Cebicheria Peruana | Avenida La Mar 770, Lima 15074 | +51 1 421 3365 | - | -12.1128,-77.0451
same: kind word, no phone
Don Julio | Guatemala 4691, Buenos Aires | - | - | -34.58630,-58.42429
Parrilla Don Julio | Guatemala 4691, C1425 Cdad. Autónoma de Buenos Aires | +54 11 4832-6058 | - | -34.5864,-58.4243

# Australia
maybe: a common name, one branch of it without address
Nando's | Melbourne | - | - | -
Nando's | 229 Lygon St, Carlton VIC | 03 9348 2466 | - | -37.79910,144.96741
maybe: one name 150 m apart, one without its address
The Corner Cafe | - | - | - | -33.88240,151.20650
The Corner Cafe | 81 Campbell St, Surry Hills NSW | - | - | -33.88130,151.20740
different: a restaurant and the bar below it, with one phone
Chin Chin | 125 Flinders Ln, Melbourne VIC 3000 | 03 8663 2000 | https://www.chinchin.melbourne/ | -37.81557,144.97050
Go Go Bar | 125 Flinders Ln, Melbourne VIC 3000 | 03 8663 2000 | https://www.chinchin.melbourne/go-go-bar | -37.81557,144.97050
same: Ln, the state
Chin Chin | 125 Flinders Ln, Melbourne VIC 3000 | 03 8663 2000 | - | -37.81557,144.97050
Chin Chin Restaurant | 125 Flinders Lane, Melbourne | +61 3 8663 2000 | https://www.chinchin.melbourne/ | -37.8155,144.9705
same: a shop's number
Mamak | Shop 15, 15 Goulburn St, Haymarket NSW 2000 | - | - | -33.87777,151.20600
Mamak | 15 Goulburn Street, Haymarket, Sydney | (02) 9211 1668 | - | -33.8778,151.2060
different: branches with one website
Gelato Messina | Shop 1, 241 Victoria St, Darlinghurst NSW | - | https://gelatomessina.com | -33.87741,151.22140
Gelato Messina | 389 Crown St, Surry Hills NSW | - | https://gelatomessina.com | -33.88355,151.21443

# Ids
different: two ids of one source, everything else equal
Trattoria Bella Vista | Seestrasse 14, Luzern | 041 410 22 33 | https://bellavista-luzern.ch | 47.0521,8.3110 | osm=node/5501234567
Trattoria Bella Vista | Seestrasse 14, Luzern | 041 410 22 33 | https://bellavista-luzern.ch | 47.0521,8.3110 | osm=node/5501234999
different: two Google ids, everything else equal
Noodle Corner | 12 Swanston St, Melbourne | 03 9650 1111 | - | -37.8170,144.9670 | google=ChIJ-swanston-1
Noodle Corner | 12 Swanston St, Melbourne | 03 9650 1111 | - | -37.8170,144.9670 | google=ChIJ-swanston-2
same: ids of different sources
Trattoria Bella Vista | Seestrasse 14, Luzern | 041 410 22 33 | - | 47.0521,8.3110 | osm=node/5501234567
Bella Vista | Seestr. 14, 6006 Luzern | +41 41 410 22 33 | - | 47.0521,8.3111 | google=ChIJ-bellavista
same: one Google id, a longer name
Blue Cow | 350 S Grand Ave, Los Angeles | - | - | 34.05240,-118.25160 | google=ChIJ-bluecow
Blue Cow Kitchen & Bar | 350 S. Grand Avenue | (213) 621-2249 | - | - | google=ChIJ-bluecow
same: one Foursquare id, renamed
Bistro Nord | Torstraße 40, Berlin | - | - | 52.5291,13.4040 | fsq=4b5a0f2bf964a520e5ab28e3
Sommerküche | Torstr. 40, 10119 Berlin | 030 28099120 | - | 52.5291,13.4041 | fsq=4b5a0f2bf964a520e5ab28e3

# Little evidence
maybe: nothing but a common name
Golden Dragon | - | - | - | -
Golden Dragon | - | - | - | -
maybe: nothing but a rare name
Zwiebelturm-Stüberl | - | - | - | -
Zwiebelturm Stueberl | - | - | - | -
same: a rare name a few metres apart, without addresses
Kahawa Mbuni | - | - | - | -1.28412,36.82215
Kahawa Mbuni | - | - | - | -1.28409,36.82219
same: a rare name and one website, a few metres apart
Osteria Zupetella | - | - | https://zupetella.it/menu?lang=it&utm_source=maps | 45.43721,12.33352
Zupetella | Calle Lunga 5148, Venezia | 041 528 1234 | http://www.zupetella.it | 45.4373,12.3336
different: a chain's name, 400 m apart, without addresses
Subway | - | - | - | 40.75044,-73.98771
Subway | - | - | - | 40.75391,-73.98612
different: one dish in both names, some metres apart, without addresses
Kebab Haus | - | - | - | 50.93801,6.95703
Kebab Palast | - | - | - | 50.93811,6.95721
maybe: one name on one street, without numbers, 200 m apart
La Cantina | Via Emilia, Rimini | - | - | 44.0580,12.5660
La Cantina | Via Emilia, Rimini | - | - | 44.0594,12.5645
unlike: nothing in common but the city
Trattoria Anna | Via Veneto 8, Bologna | 051 220 110 | https://www.instagram.com/trattoriaanna | 44.4949,11.3426
Sushi Kenzo | Via Mazzini 90, Bologna | 051 399 200 | https://www.instagram.com/sushikenzo | 44.4862,11.3641
`;

const missing = (value: string | undefined): string | null =>
  value === undefined || value === '-' ? null : value;

function sampleOf(line: string): Sample {
  const [name = '', address, phone, website, spot, id] = line.split(' | ');
  const [latitude = null, longitude = null] = missing(spot)?.split(',').map(Number) ?? [];
  const [source = '', value] = id?.split('=') ?? [];
  return {
    name,
    address: missing(address),
    phone: missing(phone),
    website: missing(website),
    latitude,
    longitude,
    external_ids: value === undefined || source === 'google' ? {} : { [source]: value },
    google_place_id: source === 'google' && value !== undefined ? value : null,
  };
}

function labelOf(text: string | undefined): Label {
  if (text === 'same' || text === 'maybe' || text === 'different' || text === 'unlike') return text;
  throw new Error(`no label: ${text ?? ''}`);
}

const LINES = TABLE.split('\n').filter((line) => line !== '' && !line.startsWith('# '));

/** Pairs of places as guides and maps of many countries write them, each with what the matcher must make of it. */
export const PAIRS: readonly Pair[] = LINES.flatMap((line, index) => {
  if (index % 3 !== 0) return [];
  const [label, ...why] = line.split(': ');
  const [a = '', b = ''] = LINES.slice(index + 1);
  return [{ label: labelOf(label), why: why.join(': '), a: sampleOf(a), b: sampleOf(b) }];
});
