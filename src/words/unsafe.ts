// U+FE0E and U+FE0F choose between text and emoji shape; without them ordinary emoji look broken.
/** What no terminal or log is given as it is: it moves the cursor, turns the reading direction or shows nothing. */
export const unsafeClass = String.raw`(?![\uFE0E\uFE0F])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Co}\p{Default_Ignorable_Code_Point}]`;
