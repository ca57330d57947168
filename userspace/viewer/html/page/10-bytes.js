// SPDX-License-Identifier: GPL-2.0
// 10-bytes.js - numbers and texts out of the bytes of a piece; see Documentation/html.md
//
// Numbers are LEB128 (seven bits a byte, lowest first). Up to 2^53 they are numbers, above
// that BigInt, so that no digit is lost.

const texts = new TextDecoder();

class Bytes {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	// The next number
	number() {
		const bytes = this.bytes;
		let byte = bytes[this.at++];
		let value = byte & 0x7f;

		for (let scale = 128; byte & 0x80; scale *= 128) {
			if (this.at >= bytes.length)
				throw new Error(`a piece of data ends within a number, at ${this.at}`);
			if (scale > 2 ** 42)
				return this.big(value, scale);
			byte = bytes[this.at++];
			value += (byte & 0x7f) * scale;
		}
		if (byte === undefined)
			throw new Error(`a piece of data is too short: ${bytes.length} bytes`);
		return value;
	}

	// The rest of a number that does not fit in 2^53: what is known of it, and the next place
	big(value, scale) {
		let sum = BigInt(value);
		let byte = 0x80;

		for (let shift = BigInt(Math.log2(scale)); byte & 0x80; shift += 7n) {
			byte = this.bytes[this.at++];
			sum += BigInt(byte & 0x7f) << shift;
		}
		return sum <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(sum) : sum;
	}

	// The next signed number: zigzag
	signed() {
		const value = this.number();

		if (typeof value === 'bigint' || value > 2 ** 52) {
			const big = BigInt(value);
			const signed = big & 1n ? -(big + 1n) / 2n : big / 2n;
			const small = Number(signed);
			return Number.isSafeInteger(small) ? small : signed;
		}
		return value % 2 ? -(value + 1) / 2 : value / 2;
	}

	float(size) {
		const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.at, size);

		this.at += size;
		return size === 8 ? view.getFloat64(0, true) : view.getFloat32(0, true);
	}

	text() {
		const length = this.number();

		this.at += length;
		return texts.decode(this.bytes.subarray(this.at - length, this.at));
	}

	skip(length) {
		this.at += length;
	}
}

// Bytes of base64
function from_base64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const raw = atob(text);
	const bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	return bytes;
}

// What deflate-raw bytes hold
async function inflate(bytes) {
	const stream = new Blob([bytes]).stream()
		.pipeThrough(new DecompressionStream('deflate-raw'));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}
