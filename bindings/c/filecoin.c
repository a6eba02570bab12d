/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* filecoin FOLDER PROOF RANDOMNESS SECTOR COMM_R: a WinningPoSt of a 2 KiB sector. Numbers as hex. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuzk/filecoin.h>

static int hex32(uint8_t out[32], const char *text)
{
    for (int i = 0; i < 32; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1) {
            return 0;
        }
        out[i] = (uint8_t)byte;
    }
    return strlen(text) == 64;
}

int main(int argc, char **argv)
{
    uint8_t proof[192];
    cuzk_sector sector;
    cuzk_error error;
    cuzk_vk *vk = NULL;
    cuzk_post_claim claim = {.struct_size = sizeof(claim), .sectors = &sector, .n_sectors = 1};
    FILE *f = argc == 6 ? fopen(argv[2], "rb") : NULL;
    if (f == NULL || fread(proof, 1, sizeof(proof), f) != sizeof(proof) ||
        !hex32(claim.randomness, argv[3]) || !hex32(sector.comm_r, argv[5])) {
        (void)fprintf(stderr, "usage: filecoin FOLDER PROOF RANDOMNESS SECTOR COMM_R\n");
        return 2;
    }
    (void)fclose(f);
    sector.number = strtoull(argv[4], NULL, 10);
    cuzk_status st = cuzk_vk_load(&vk, CUZK_KIND_WINNING, 2048, argv[1], &error);
    if (st == CUZK_OK) {
        st = cuzk_verify_post(vk, proof, sizeof(proof), &claim, &error);
    }
    (void)printf("%s\n", st == CUZK_OK ? "verified" : error.text);
    cuzk_vk_destroy(vk);
    return st == CUZK_OK ? 0 : 1;
}
