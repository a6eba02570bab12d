# cmake -DIN=file -DOUT=file.c -DNAME=symbol -DHEADER=api/answer/page.h -P Embed.cmake: a file as C.
file(READ "${IN}" hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}") # 16 bytes a line
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE "${OUT}" "#include \"${HEADER}\"\n\nconst unsigned char ${NAME}[] = {\n${bytes}};\nconst size_t ${NAME}_size = ${size};\n")
