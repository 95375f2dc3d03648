/** How a text is named by its content: hosts bring the hash function, so that formats and runtime stay free of Node. */

/** The SHA-256 (FIPS 180-4) of a text's UTF-8 bytes as 64 lowercase hexadecimal digits. */
export type Sha256 = (text: string) => string;
