/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_API_ANSWER_PAGE_H
#define CUZK_API_ANSWER_PAGE_H

/* The page of GET /: page.html, put into the program by the build. */
#include <stdbool.h>
#include <stddef.h>

#define CUZK_PAGE_CSP_BYTES 512

extern const unsigned char cuzk_page_html[];
extern const size_t cuzk_page_html_size;

/**
 * The Content-Security-Policy of a page: nothing from anywhere but its own <style> and <script>,
 * which are allowed by their SHA-256, and requests to where it came from. False: the page does not
 * have exactly one of each.
 */
bool cuzk_page_csp(char out[CUZK_PAGE_CSP_BYTES], const unsigned char *html, size_t n);

#endif /* CUZK_API_ANSWER_PAGE_H */
