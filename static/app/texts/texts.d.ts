/** The service makes this module for one language. */
export declare const texts: typeof import('./en.json');
/** The tags of all languages (BCP 47). */
export declare const languages: readonly string[];
/** The direction of this language, as HTML names it. */
export declare const direction: 'ltr' | 'rtl';
